package io.sluice.gateway.responses;

import io.sluice.common.protocol.ErrorKind;
import io.sluice.gateway.http.ApiError;
import io.sluice.gateway.http.ApiException;
import io.sluice.producer.ClientException;
import io.sluice.producer.client.AttachOptions;
import io.sluice.producer.client.InferenceRequest;
import io.sluice.producer.client.ReplyEvent;
import io.sluice.producer.client.ReplyStream;
import io.sluice.producer.client.RequestFailedException;
import io.sluice.producer.client.SluiceClient;
import jakarta.inject.Singleton;
import java.time.Duration;
import java.util.List;
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

  Replies(SluiceClient client) {
    this.client = client;
  }

  /** Returns the id of a new request. */
  String newId() {
    return client.newRequestId();
  }

  /** Sends a request whose answer is read later; returns when it is in the log. */
  void post(InferenceRequest request) throws InterruptedException {
    var _ = get(() -> client.post(request));
  }

  /** Returns the events that are in the log at present. */
  List<ReplyEvent> read(String requestId) throws InterruptedException {
    return get(() -> client.read(requestId));
  }

  /**
   * Follows an answer from its beginning.
   *
   * @param patience how long to wait for its first record
   */
  ReplyStream follow(String requestId, Duration patience) {
    try {
      return client.attach(requestId, AttachOptions.standard().waiting(patience));
    } catch (ClientException e) {
      throw unavailable(e);
    }
  }

  /** Asks the pool to cancel a request; returns when that is in the log. */
  void cancel(String requestId) throws InterruptedException {
    var _ = get(() -> client.cancel(requestId).thenApply(_ -> requestId));
  }

  private static <T> T get(Supplier<CompletableFuture<T>> operation) throws InterruptedException {
    try {
      return operation.get().get(LIMIT.toMillis(), TimeUnit.MILLISECONDS);
    } catch (ClientException e) {
      throw unavailable(e);
    } catch (TimeoutException e) {
      throw new ApiException(ErrorKind.UNAVAILABLE, "Kafka did not answer in time");
    } catch (ExecutionException e) {
      if (e.getCause() instanceof RequestFailedException failed) {
        throw new ApiException(ApiError.of(failed.failure()));
      }
      throw new ApiException(
          ErrorKind.UNAVAILABLE, "Kafka did not accept the request: " + e.getCause());
    }
  }

  private static ApiException unavailable(ClientException e) {
    return new ApiException(ErrorKind.UNAVAILABLE, String.valueOf(e.getMessage()));
  }
}
