package io.sluice.gateway.responses;

import io.sluice.common.dependency.Reasons;
import io.sluice.gateway.http.ApiError;
import io.sluice.gateway.http.ApiException;
import io.sluice.gateway.http.Failures;
import io.sluice.gateway.responses.record.Place;
import io.sluice.gateway.responses.record.Places;
import io.sluice.producer.ClientException;
import io.sluice.producer.client.InferenceRequest;
import io.sluice.producer.client.SluiceClient;
import io.sluice.producer.reply.AnswerPlace;
import io.sluice.producer.reply.AttachOptions;
import io.sluice.producer.reply.ReplyEvent;
import io.sluice.producer.reply.ReplyStream;
import io.sluice.producer.reply.RequestFailedException;
import io.sluice.producer.reply.StoredAnswer;
import jakarta.inject.Singleton;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;

/**
 * The replies to requests that any gateway sent. What prevents an operation is an error in OpenAI's
 * format. Thread-safe; methods block for a bounded time.
 */
@Singleton
final class Replies {
  private static final Duration LIMIT = Duration.ofSeconds(30);

  private final SluiceClient client;
  private final Places places;

  Replies(SluiceClient client, Places places) {
    this.client = client;
    this.places = places;
  }

  /** Returns the id of a new request. */
  String newId() {
    return client.newRequestId();
  }

  /** Sends a request whose answer is read later; returns when it is in the log. */
  void post(InferenceRequest request, String requestId) throws InterruptedException {
    var _ = get(() -> client.post(request), Optional.of(requestId));
  }

  /** Notes where the answer to a request will lie that this gateway is about to send. */
  void expect(String requestId) {
    places.note(requestId, Place.ofAnswer(client.nextPlace()));
  }

  /** Notes where an answer ended that this gateway has read. */
  void ended(ReplyStream stream) {
    OptionalLong end = stream.endOffset();
    if (end.isPresent()) {
      places.note(stream.requestId(), Place.ofAnswer(new AnswerPlace(OptionalLong.empty(), end)));
    }
  }

  /** Returns the events that are in the log at present. */
  List<ReplyEvent> read(String requestId) throws InterruptedException {
    Optional<String> id = Optional.of(requestId);
    AnswerPlace known = places.find(requestId).answer();
    Optional<StoredAnswer> placed = get(() -> client.read(requestId, known), id);
    StoredAnswer answer = placed.isPresent() ? placed.get() : get(() -> client.read(requestId), id);
    places.note(requestId, Place.ofAnswer(answer.place()));
    return answer.events();
  }

  /**
   * Follows an answer from its beginning.
   *
   * @param tenant whose answer it is
   * @param patience how long to wait for its first record
   */
  ReplyStream follow(String requestId, String tenant, Duration patience) {
    try {
      AttachOptions events = AttachOptions.standard().withoutWholeAnswer();
      return client.attach(requestId, events.ofTenant(tenant).waiting(patience));
    } catch (ClientException e) {
      throw unavailable(e, Optional.of(requestId));
    }
  }

  /** Asks the pool to cancel a request; returns when that is in the log. */
  void cancel(String requestId) throws InterruptedException {
    var _ = get(() -> client.cancel(requestId).thenApply(_ -> requestId), Optional.of(requestId));
  }

  private static <T> T get(Supplier<CompletableFuture<T>> operation, Optional<String> requestId)
      throws InterruptedException {
    CompletableFuture<T> running;
    try {
      running = operation.get();
    } catch (ClientException e) {
      throw unavailable(e, requestId);
    }
    try {
      return running.get(LIMIT.toMillis(), TimeUnit.MILLISECONDS);
    } catch (TimeoutException e) {
      throw unavailable(e, requestId);
    } catch (ExecutionException e) {
      if (e.getCause() instanceof RequestFailedException failed
          && !failed.failure().kind().isUnreachable()) {
        throw new ApiException(ApiError.of(failed.failure()));
      }
      throw unavailable(e, requestId);
    } finally {
      // No client waits for it any more; has no effect on one that has ended.
      running.cancel(true);
    }
  }

  private static ApiException unavailable(Exception e, Optional<String> requestId) {
    return new ApiException(Failures.unreachable(requestId, Reasons.of(e)));
  }
}
