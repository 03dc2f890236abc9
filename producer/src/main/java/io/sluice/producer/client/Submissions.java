package io.sluice.producer.client;

import io.sluice.common.protocol.RequestId;
import io.sluice.producer.ClientConfig;
import io.sluice.producer.ClientException;
import io.sluice.producer.kafka.KafkaErrors;
import io.sluice.producer.reply.ReplyEvent;
import io.sluice.producer.reply.ReplyStream;
import io.sluice.producer.reply.RequestFailedException;
import io.sluice.producer.stream.FoldedStream;
import io.sluice.producer.stream.LiveAnswer;
import io.sluice.producer.stream.Patience;
import io.sluice.producer.stream.StreamOwner;
import io.sluice.producer.stream.StreamTerms;
import java.time.Clock;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.function.LongSupplier;

/** Sends the requests of a client, and creates the streams of their answers. Thread-safe. */
final class Submissions {
  private final ClientConfig config;
  private final InFlight inFlight;
  private final ReplyReader reader;
  private final RequestSender sender;
  private final StreamOwner owner;
  private final Clock clock;
  private final LongSupplier nanoTime;

  Submissions(
      ClientConfig config,
      InFlight inFlight,
      ReplyReader reader,
      RequestSender sender,
      StreamOwner owner,
      Clock clock,
      LongSupplier nanoTime) {
    this.config = config;
    this.inFlight = inFlight;
    this.reader = reader;
    this.sender = sender;
    this.owner = owner;
    this.clock = clock;
    this.nanoTime = nanoTime;
  }

  /** Returns a new id, whose replies belong to the partition that this client reads. */
  String newRequestId() {
    return RequestId.nextOn(reader.home().partition(), reader.partitionCount());
  }

  /**
   * Sends a request whose answer this client reads.
   *
   * @throws ClientException if no place became free in time
   * @throws IllegalArgumentException if a request of the same id is in flight
   */
  ReplyStream submit(InferenceRequest request) {
    inFlight.reserve(config.submitTimeout());
    return send(request);
  }

  /** Sends a request whose answer this client does not read; completes with its id. */
  CompletableFuture<String> post(InferenceRequest request) {
    String id = request.requestId().orElseGet(this::newRequestId);
    return sender
        .post(request, id)
        .handle(
            (place, error) -> {
              if (error != null) {
                throw new CompletionException(notSent(error));
              }
              return id;
            });
  }

  private RequestFailedException notSent(Throwable error) {
    Exception cause = error instanceof Exception e ? e : new IllegalStateException(error);
    return new RequestFailedException(
        ReplyEvent.Failed.local(
            KafkaErrors.kindOf(cause), KafkaErrors.sending(cause, config.bootstrapServers())));
  }

  private ReplyStream send(InferenceRequest request) {
    String id = request.requestId().orElseGet(this::newRequestId);
    long waitNanos =
        Patience.bounded(request.patience(clock.instant())).plus(config.deadlineGrace()).toNanos();
    StreamTerms terms =
        StreamTerms.ofSent(
            id, request.tenant(), sender.partitionOf(request, id), request.isCancelledOnClose());
    FoldedStream stream =
        new FoldedStream(
            terms,
            reader.home(),
            new LiveAnswer(id, request.endpoint(), request.isStreamed(), request.isAssembled()),
            nanoTime.getAsLong() + waitNanos,
            owner);
    if (!inFlight.add(stream)) {
      inFlight.release();
      throw new IllegalArgumentException("request id " + id + " is already in flight");
    }
    if (stream.isEnded()) {
      // The client was closed in the meantime, so nothing else would cancel the request.
      return stream;
    }
    // Kafka may take long to accept it: the parsed body must not be kept until then.
    boolean isTimeout = request.deadline().isEmpty();
    sender.send(
        request,
        id,
        () -> {
          stream.accepted();
          if (isTimeout) {
            // The pool counts from here.
            stream.expireNotBefore(nanoTime.getAsLong() + waitNanos);
          }
        },
        error ->
            stream.fail(
                KafkaErrors.kindOf(error), KafkaErrors.sending(error, config.bootstrapServers())));
    return stream;
  }
}
