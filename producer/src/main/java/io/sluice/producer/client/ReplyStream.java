package io.sluice.producer.client;

import io.sluice.common.protocol.ErrorKind;
import io.sluice.common.reply.ReplyFold;
import io.sluice.common.reply.ReplyFold.Verdict;
import io.sluice.common.reply.ReplyKind;
import io.sluice.common.reply.ReplyPointer;
import io.sluice.producer.client.StreamTerms.OverdueEnd;
import io.sluice.producer.follow.ReplyRecord;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Flow;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.ReentrantLock;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;

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
 * that stops, by {@link #close} or by cancelling its subscription, ends the request only if
 * {@linkplain InferenceRequest.Builder#cancelOnClose the request says so}. After a cancelled
 * subscription, {@link #answer} is still completed, and the stream is in flight until then; {@link
 * #close} ends both. Thread-safe.
 */
public final class ReplyStream implements Flow.Publisher<ReplyEvent>, AutoCloseable {
  private final StreamTerms terms;
  private final StreamOwner owner;
  private final CompletableFuture<Answer> answer = new CompletableFuture<>();
  private final SingleSend cancelling = new SingleSend();
  private final ReaderView view;

  private final ReentrantLock lock = new ReentrantLock();
  private final LiveAnswer live;
  private final TenantGate gate;
  private TopicPartition source;
  private ReplyFold fold;
  private final StreamExpiry expiry;
  private long tokensRead;

  /** Whether Kafka has the request, as far as this client knows. */
  private volatile boolean isAccepted;

  /**
   * Whether a pointer was followed. An answer found through a pointer cannot lead to another one.
   */
  private volatile boolean isRedirected;

  private boolean isCaughtUp;
  private ReplyEvent.@Nullable Terminal terminal;
  private OptionalLong endOffset = OptionalLong.empty();

  ReplyStream(
      StreamTerms terms,
      TopicPartition source,
      LiveAnswer live,
      long expiryNanos,
      StreamOwner owner) {
    this.terms = terms;
    this.fold = terms.fold();
    this.source = source;
    this.live = live;
    this.gate = new TenantGate(terms.onlyOf());
    this.expiry = new StreamExpiry(terms.overdueEnd(), expiryNanos);
    this.isAccepted = !terms.isSentHere();
    this.owner = owner;
    this.view = new ReaderView(terms, lock, owner, this::readerLeft);
  }

  /** Returns the request's id, by which every reader can find the answer in Kafka. */
  public String requestId() {
    return terms.requestId();
  }

  /** Returns for whom the stream is read; empty if that is not known. */
  String reader() {
    return terms.reader();
  }

  /**
   * Waits for the next event. A timeout of more than 100 ms may take up to 100 ms longer.
   *
   * @return empty after the {@link ReplyEvent.Terminal} was returned
   * @throws TimeoutException if no event arrived in time; the stream continues
   * @throws IllegalStateException if the stream has a subscriber
   */
  public Optional<ReplyEvent> next(Duration timeout) throws InterruptedException, TimeoutException {
    return view.buffer().next(timeout);
  }

  /** Delivers the events to a subscriber. A second reader is rejected with {@code onError}. */
  @Override
  public void subscribe(Flow.Subscriber<? super ReplyEvent> subscriber) {
    view.buffer().subscribe(subscriber);
  }

  /**
   * Returns the whole answer, which fails with a {@link RequestFailedException}. The events need
   * not be read for it.
   */
  public CompletableFuture<Answer> answer() {
    return answer.copy();
  }

  /**
   * Asks the pool to cancel the request; returns at once. The stream then ends as {@code
   * cancelled}, unless it has already ended. Repeated calls have no effect, unless Kafka did not
   * accept the earlier one.
   */
  public void cancel() {
    var _ = tryCancel();
  }

  /**
   * Cancels like {@link #cancel}. Completes when Kafka has accepted the message, also for repeated
   * calls.
   */
  CompletableFuture<Void> tryCancel() {
    return isEnded()
        ? CompletableFuture.completedFuture(null)
        : cancelling.send(() -> owner.cancel(this));
  }

  /**
   * Drops the events that were not read, and those to come except the {@link ReplyEvent.Terminal}.
   * For callers that need only {@link #answer}, which is completed all the same.
   */
  public void discardEvents() {
    view.discard();
  }

  /**
   * Ends the reading. A request {@linkplain InferenceRequest.Builder#cancelOnClose that ends with
   * its reader} is cancelled. Any other request continues in the pool and can be attached to, while
   * this stream ends with {@link ErrorKind#UNAVAILABLE}, unless it has ended. Events that were not
   * read are dropped, except the {@link ReplyEvent.Terminal}.
   */
  @Override
  public void close() {
    readerLeft();
    discardEvents();
    if (!terms.isCancelledOnClose()) {
      fail(ErrorKind.UNAVAILABLE, "the reader closed the stream; the request continues");
    }
  }

  private void readerLeft() {
    if (terms.isCancelledOnClose()) {
      cancel();
    }
  }

  /**
   * Returns whether {@link #next} has returned, or returns without a wait, everything that the log
   * held when this stream was attached. False for streams of requests that this client sent.
   */
  public boolean isCaughtUp() {
    lock.lock();
    try {
      return isCaughtUp && !view.isDetached();
    } finally {
      lock.unlock();
    }
  }

  /** Everything that the log held when the stream was attached has been accepted. */
  void caughtUp() {
    lock.lock();
    try {
      isCaughtUp = true;
    } finally {
      lock.unlock();
    }
  }

  /**
   * Returns whether Kafka has accepted the request, which the pool answers from then on even if
   * this client ends. True for streams that were attached.
   */
  public boolean isAccepted() {
    return isAccepted;
  }

  void accepted() {
    isAccepted = true;
  }

  /**
   * Returns the offset of the answer's last record; empty before its end, if this client itself
   * ended the stream, or if the answer lies elsewhere.
   */
  public OptionalLong endOffset() {
    lock.lock();
    try {
      return isRedirected ? OptionalLong.empty() : endOffset;
    } finally {
      lock.unlock();
    }
  }

  /**
   * Returns how many tokens the records so far contain, with those that another attempt discarded.
   * The answer of a request that is not streamed has none before its end.
   */
  public long tokensRead() {
    lock.lock();
    try {
      return tokensRead;
    } finally {
      lock.unlock();
    }
  }

  boolean isCancelledOnClose() {
    return terms.isCancelledOnClose();
  }

  boolean isEnded() {
    lock.lock();
    try {
      return terminal != null;
    } finally {
      lock.unlock();
    }
  }

  OptionalInt requestPartition() {
    return terms.requestPartition();
  }

  /** Postpones the end by the client itself. */
  void expireNotBefore(long nanos) {
    lock.lock();
    try {
      expiry.notBefore(nanos);
    } finally {
      lock.unlock();
    }
  }

  /** Kafka has accepted the cancellation: the client's own end is moved forward. */
  void expireCancelledBy(long nanos) {
    lock.lock();
    try {
      expiry.cancelledBy(nanos);
    } finally {
      lock.unlock();
    }
  }

  /** Ends the stream if its time is over and the pool has not answered. */
  void expire(long nowNanos) {
    Optional<OverdueEnd> end;
    lock.lock();
    try {
      end = expiry.endAt(nowNanos);
    } finally {
      lock.unlock();
    }
    end.ifPresent(its -> fail(its.kind(), its.message()));
  }

  /** Ends the stream with an error that the client detected; has no effect after its end. */
  void fail(ErrorKind kind, String message) {
    ReplyEvent.Failed failure = ReplyEvent.Failed.local(kind, message);
    lock.lock();
    try {
      if (terminal != null) {
        return;
      }
      terminal = failure;
      view.cut(failure);
    } finally {
      lock.unlock();
    }
    finish(failure);
  }

  /** Receives a new record like {@link #accept}, unless the stream is read elsewhere. */
  void acceptLive(ReplyRecord record) {
    if (!isRedirected) {
      accept(record);
    }
  }

  /** Receives the next record of this request from the log. */
  void accept(ReplyRecord record) {
    if (record.refuses(terms.tenant())) {
      ReplyEvent.Failed failure = LiveAnswer.failed(record);
      fail(failure.kind(), failure.message());
      return;
    }
    ReplyEvent.Terminal end;
    lock.lock();
    try {
      if (terminal != null || !record.partition().equals(source)) {
        return;
      }
      if (!gate.admits(record.headers())) {
        return;
      }
      expiry.heard();
      if (isOfRepeat(record)) {
        followPointer(record);
        return;
      }
      ReplyFold before = fold;
      ReplyFold.Step step = before.next(record.headers());
      fold = step.fold();
      if (step.verdict() instanceof Verdict.Appended appended) {
        tokensRead += appended.count();
      }
      List<ReplyEvent> events = liveEvents(step.verdict(), record);
      if (events.isEmpty()) {
        return;
      }
      view.show(events, before, record);
      end = terminal;
    } finally {
      lock.unlock();
    }
    if (end != null) {
      finish(end);
    }
  }

  /**
   * Returns whether the record tells the sender that its request is a repeat. While it holds no
   * tokens, what it has heard of the answer began in the middle, if anything.
   */
  private boolean isOfRepeat(ReplyRecord record) {
    return record.headers().kind() == ReplyKind.POINTER && terms.isSentHere() && fold.tokens() == 0;
  }

  private List<ReplyEvent> liveEvents(Verdict verdict, ReplyRecord record) {
    if (verdict instanceof Verdict.Pointer) {
      followPointer(record);
    }
    List<ReplyEvent> events = live.next(verdict, record);
    if (!events.isEmpty() && events.getLast() instanceof ReplyEvent.Terminal end) {
      terminal = end;
      endOffset = OptionalLong.of(record.offset());
    }
    return events;
  }

  private void followPointer(ReplyRecord record) {
    Optional<ReplyPointer> pointer = ReplyPointer.parse(record.bytes());
    if (pointer.isEmpty() || isRedirected) {
      return;
    }
    Tail tail = Tail.of(this, pointer.get(), owner::nanoTime);
    // A reader that attached started before the answer. The sender of a repeat may have started
    // after its beginning.
    if (terms.isSentHere() || !tail.partition().equals(source)) {
      isRedirected = true;
      source = tail.partition();
      fold = ReplyFold.fromAnywhere();
      owner.follow(tail);
    }
  }

  private void finish(ReplyEvent.Terminal end) {
    owner.ended(this);
    // Callers' code may be attached to the future: it must not run on the thread that reads Kafka.
    owner.executor().execute(() -> LiveAnswer.settle(end, answer));
  }
}
