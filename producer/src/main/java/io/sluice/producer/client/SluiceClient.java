package io.sluice.producer.client;

import io.sluice.common.protocol.Control;
import io.sluice.common.protocol.ErrorKind;
import io.sluice.common.protocol.Priority;
import io.sluice.producer.ClientConfig;
import io.sluice.producer.ClientException;
import io.sluice.producer.attach.AttachedStreams;
import io.sluice.producer.follow.Rereader;
import io.sluice.producer.kafka.KafkaErrors;
import io.sluice.producer.reply.AnswerPlace;
import io.sluice.producer.reply.AttachOptions;
import io.sluice.producer.reply.ReplyEvent;
import io.sluice.producer.reply.ReplyStream;
import io.sluice.producer.reply.RequestFailedException;
import io.sluice.producer.reply.StoredAnswer;
import io.sluice.producer.stream.StreamOwner;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.LongSupplier;
import org.apache.kafka.common.KafkaException;

/**
 * A client of a pool: one Kafka producer and one thread that reads replies, shared by any number of
 * requests. Thread-safe; intended to live as long as its process.
 */
public final class SluiceClient implements AutoCloseable {
  private static final Duration CLOSE_TIMEOUT = Duration.ofSeconds(5);
  private static final String CLOSED = "the client was closed";

  private final ClientConfig config;
  private final InFlight inFlight;
  private final ReplyReader reader;
  private final Rereader rereader;
  private final RequestSender sender;
  private final AttachedStreams attached;
  private final Controls controls;
  private final Clock clock;
  private final Submissions submissions;
  private final AtomicBoolean isClosed = new AtomicBoolean();

  /**
   * Creates a client.
   *
   * @param callers runs callers' code
   */
  SluiceClient(
      ClientConfig config,
      ClientConnection connection,
      Executor callers,
      Clock clock,
      LongSupplier nanoTime) {
    this.config = config;
    this.clock = clock;
    this.inFlight = connection.inFlight();
    this.reader = connection.reader();
    this.sender = connection.sender();
    this.rereader = new Rereader(connection.replies());
    this.controls =
        new Controls(sender, inFlight, clock, nanoTime, config.deadlineGrace(), callers);
    StreamOwner owner =
        new ClientStreamOwner(config, inFlight, controls, rereader, callers, nanoTime);
    this.submissions = new Submissions(config, inFlight, reader, sender, owner, clock, nanoTime);
    this.attached =
        new AttachedStreams(
            connection.replies(),
            config.replyTopic(),
            reader.partitionCount(),
            config.connectTimeout(),
            owner);
  }

  /**
   * Connects to a pool; returns when replies can be read.
   *
   * @throws ClientException if Kafka cannot be reached within the configured time, rejects the
   *     client, or has no pool
   */
  public static SluiceClient connect(ClientConfig config) {
    Executor callers = callers();
    ClientConnection connection = ClientConnection.open(config, callers, System::nanoTime);
    var client = new SluiceClient(config, connection, callers, Clock.systemUTC(), System::nanoTime);
    connection.reader().start();
    return client;
  }

  /**
   * Sends a request. Blocks while the configured maximum is in flight, and at most a few seconds
   * for Kafka. If the request cannot be sent, its stream ends with {@link ErrorKind#UNAVAILABLE}.
   *
   * @throws ClientException if no place became free in time, or the client is closed
   * @throws IllegalArgumentException if this client has a request of the same id in flight
   */
  public ReplyStream submit(InferenceRequest request) {
    requireOpen();
    return submissions.submit(request);
  }

  /**
   * Returns a new request id. The answer to a request of this id that this client submits can be
   * attached to by the id alone.
   */
  public String newRequestId() {
    return submissions.newRequestId();
  }

  /**
   * Sends a request without reading its answer, which can be attached to by the id alone. The
   * request does not count as one in flight. Blocks at most a few seconds for Kafka.
   *
   * @return completes with the request's id when Kafka has accepted the request, exceptionally with
   *     a {@link RequestFailedException} if it has not
   * @throws ClientException if the client is closed
   */
  public CompletableFuture<String> post(InferenceRequest request) {
    requireOpen();
    return submissions.post(request);
  }

  /**
   * Reads the answer to a request from the log, from its beginning or from an index, to its end.
   * Any client can read it, and any number of readers. The stream follows a request that is still
   * running. It ends with {@link ErrorKind#REQUEST_NOT_FOUND} if there is no record of the request
   * in time, and with {@link ErrorKind#REPLY_TRUNCATED} if the beginning is no longer in Kafka.
   * Once a record was found, the stream has no deadline of its own. One consumer reads all attached
   * streams of a client.
   *
   * @throws IllegalArgumentException if the reply topic or partition does not exist
   * @throws ClientException if the client is closed
   */
  public ReplyStream attach(String requestId, AttachOptions options) {
    requireOpen();
    try {
      return attached.attach(requestId, options, clock.instant());
    } catch (KafkaException e) {
      throw KafkaErrors.connecting(e, config.bootstrapServers());
    }
  }

  /**
   * Reads what the log holds of an answer at present, and does not wait for more. There are no
   * events if the log holds nothing of the request; they end with a {@link ReplyEvent.Terminal} if
   * the answer has ended, or with {@link ErrorKind#REPLY_TRUNCATED} if its beginning is no longer
   * in Kafka. The answer is searched for where it is unless its request named another reply
   * address.
   *
   * @return completes exceptionally with a {@link RequestFailedException} if Kafka cannot be read;
   *     cancelling it ends the reading
   * @throws ClientException if the client is closed
   */
  public CompletableFuture<StoredAnswer> read(String requestId) {
    requireOpen();
    return attached.read(requestId);
  }

  /**
   * Reads an answer like {@link #read(String)}, but only what lies at a known place. A few such
   * readings run at a time.
   *
   * @return completes with nothing if the answer is not at this place, exceptionally if Kafka
   *     cannot be read; cancelling it ends the reading
   * @throws ClientException if the client is closed
   */
  public CompletableFuture<Optional<StoredAnswer>> read(String requestId, AnswerPlace place) {
    requireOpen();
    return attached.read(requestId, place);
  }

  /**
   * Returns the place of the answer to a {@linkplain #newRequestId() new request} of this client,
   * which is sent from now on: it has no record before.
   */
  public AnswerPlace nextPlace() {
    return new AnswerPlace(OptionalLong.of(reader.position()), OptionalLong.empty());
  }

  /**
   * Asks the pool to cancel a request of any client. A cancellation that arrives before its request
   * is remembered for a while; one that arrives after its end has no effect. Returns at once, like
   * the other methods that change a request: wait for one before the next about the same request if
   * their order matters.
   *
   * @return completes when Kafka has accepted the message, exceptionally if it has not
   */
  public CompletableFuture<Void> cancel(String requestId) {
    return controls.cancel(requestId);
  }

  /**
   * Asks the pool to change a request's deadline.
   *
   * @return completes like {@link #cancel}
   */
  public CompletableFuture<Void> extend(String requestId, Instant deadline) {
    return controls.extend(requestId, deadline);
  }

  /**
   * Asks the pool to change a request's priority.
   *
   * @return completes like {@link #cancel}
   */
  public CompletableFuture<Void> reprioritise(String requestId, Priority priority) {
    return controls.send(new Control.Reprioritise(requestId, priority));
  }

  /** Returns the number of requests that this client has sent and that have not ended. */
  public int requestsInFlight() {
    return inFlight.count();
  }

  /** Asks the pool to cancel all requests in flight; returns at once. */
  public void cancelAll() {
    inFlight.all().forEach(ReplyStream::cancel);
  }

  /**
   * Closes the client within some seconds. Streams that have not ended fail with {@link
   * ErrorKind#UNAVAILABLE}. The pool continues with their requests, except those that end with
   * their reader.
   */
  @Override
  public void close() {
    close(CLOSED);
  }

  /** Closes the client like {@link #close()}; streams that have not ended get this message. */
  public void close(String reason) {
    if (isClosed.compareAndSet(false, true)) {
      long untilNanos = System.nanoTime() + CLOSE_TIMEOUT.toNanos();
      inFlight.refuseMore(reason);
      inFlight.cancelThoseOfTheirReader();
      inFlight.closeWith(reason);
      rereader.close(reason);
      controls.await(CLOSE_TIMEOUT);
      sender.close(Duration.ofNanos(Math.max(0, untilNanos - System.nanoTime())));
      attached.close();
      reader.close();
    }
  }

  ReplyReader reader() {
    return reader;
  }

  /** Returns whether {@link #close} was called: streams may have ended for that reason alone. */
  public boolean isClosed() {
    return inFlight.closedBecause().isPresent();
  }

  private void requireOpen() {
    inFlight
        .closedBecause()
        .ifPresent(
            reason -> {
              throw new ClientException(ClientException.Kind.CLOSED, reason);
            });
  }

  /** One virtual thread per task, so that callers' code may block. */
  static Executor callers() {
    return task -> Thread.ofVirtual().name("sluice-caller").start(task);
  }
}
