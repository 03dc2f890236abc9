package io.sluice.producer.reply;

import io.sluice.common.protocol.ErrorKind;
import java.time.Duration;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Flow;
import java.util.concurrent.TimeoutException;

/**
 * The answer to one request, as it arrives. It can be read once event by event, either with {@link
 * #next} or by one {@link Flow.Subscriber}, and in addition as a whole with {@link #answer}.
 *
 * <p>Guarantees: tokens arrive in order, none is repeated and none is missing ({@link
 * ReplyEvent.Restarted} discards the tokens before it); exactly one {@link ReplyEvent.Terminal}
 * arrives, as the last event. It arrives at the latest a few seconds after the request's deadline;
 * if the pool does not answer, the client produces it. An error is an event, not an {@code
 * onError}: that only signals misuse.
 *
 * <p>A slow reader does not delay others: beyond a bounded number of unread events, the stream
 * detaches from the live records, and re-reads them from Kafka when there is room again. A reader
 * that stops, by {@link #close} or by cancelling its subscription, ends the request only if the
 * request says so ({@code cancelOnClose}). After a cancelled subscription, {@link #answer} is still
 * completed, and the stream is in flight until then; {@link #close} ends both. Thread-safe.
 */
public interface ReplyStream extends Flow.Publisher<ReplyEvent>, AutoCloseable {

  /** Returns the request's id, by which every reader can find the answer in Kafka. */
  String requestId();

  /**
   * Waits for the next event. A timeout of more than 100 ms may take up to 100 ms longer.
   *
   * @return empty after the {@link ReplyEvent.Terminal} was returned
   * @throws TimeoutException if no event arrived in time; the stream continues
   * @throws IllegalStateException if the stream has a subscriber
   */
  Optional<ReplyEvent> next(Duration timeout) throws InterruptedException, TimeoutException;

  /** Delivers the events to a subscriber. A second reader is rejected with {@code onError}. */
  @Override
  void subscribe(Flow.Subscriber<? super ReplyEvent> subscriber);

  /**
   * Returns the whole answer, which fails with a {@link RequestFailedException}. The events need
   * not be read for it.
   */
  CompletableFuture<Answer> answer();

  /**
   * Asks the pool to cancel the request; returns at once. The stream then ends as {@code
   * cancelled}, unless it has already ended. Repeated calls have no effect, unless Kafka did not
   * accept the earlier one.
   */
  void cancel();

  /**
   * Drops the events that were not read, and those to come except the {@link ReplyEvent.Terminal}.
   * For callers that need only {@link #answer}, which is completed all the same.
   */
  void discardEvents();

  /**
   * Ends the reading. A request that ends with its reader ({@code cancelOnClose}) is cancelled. Any
   * other request continues in the pool and can be attached to, while this stream ends with {@link
   * ErrorKind#UNAVAILABLE}, unless it has ended. Events that were not read are dropped, except the
   * {@link ReplyEvent.Terminal}.
   */
  @Override
  void close();

  /**
   * Returns whether {@link #next} has returned, or returns without a wait, everything that the log
   * held when this stream was attached. False for streams of requests that this client sent.
   */
  boolean isCaughtUp();

  /**
   * Returns whether Kafka has accepted the request, which the pool answers from then on even if
   * this client ends. True for streams that were attached.
   */
  boolean isAccepted();

  /**
   * Returns the offset of the answer's last record; empty before its end, if this client itself
   * ended the stream, or if the answer lies elsewhere.
   */
  OptionalLong endOffset();

  /**
   * Returns how many tokens the records so far contain, with those that another attempt discarded.
   * The answer of a request that is not streamed has none before its end.
   */
  long tokensRead();
}
