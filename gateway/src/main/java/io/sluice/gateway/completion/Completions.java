package io.sluice.gateway.completion;

import io.micronaut.http.HttpRequest;
import io.micronaut.http.HttpResponse;
import io.micronaut.http.MediaType;
import io.micronaut.http.MutableHttpResponse;
import io.sluice.common.protocol.Endpoint;
import io.sluice.gateway.access.Caller;
import io.sluice.gateway.config.GatewayConfig;
import io.sluice.gateway.http.ApiError;
import io.sluice.gateway.http.ApiException;
import io.sluice.gateway.http.Disconnect;
import io.sluice.gateway.http.EventStream;
import io.sluice.gateway.pool.Pool;
import io.sluice.gateway.pool.Served;
import io.sluice.producer.client.Answer;
import io.sluice.producer.client.InferenceRequest;
import io.sluice.producer.client.ReplyEvent;
import io.sluice.producer.client.ReplyStream;
import io.sluice.producer.client.RequestFailedException;
import jakarta.inject.Singleton;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeoutException;

/** Sends completion requests to the pool and returns their answers. Thread-safe. */
@Singleton
final class Completions {
  private final Pool pool;
  private final GatewayConfig config;
  private final Served served;

  Completions(Pool pool, GatewayConfig config, Served served) {
    this.pool = pool;
    this.config = config;
    this.served = served;
  }

  /**
   * Answers a request. Blocks until the answer is there or, for a stream, until its first event or
   * the first keep-alive is due.
   *
   * @throws ApiException if there is no answer
   */
  HttpResponse<?> answer(Endpoint endpoint, HttpRequest<?> http, byte[] body)
      throws InterruptedException {
    long startNanos = System.nanoTime();
    InferenceRequest request =
        pool.request(endpoint, body, http.getHeaders(), Caller.of(http)).build();
    ReplyStream stream = pool.submit(request);
    Disconnect disconnect = Disconnect.watch(http, () -> clientLeft(stream));
    boolean isHandedOver = false;
    try {
      if (!request.isStreamed()) {
        return whole(stream, startNanos);
      }
      Optional<ReplyEvent> first = first(stream);
      if (first.isPresent() && first.get() instanceof ReplyEvent.Failed failed) {
        throw new ApiException(ApiError.of(failed).about(stream.requestId()));
      }
      isHandedOver = true;
      MutableHttpResponse<?> head = HttpResponse.ok();
      Served.identify(head, stream.requestId(), startNanos);
      ChunkFrames frames = new ChunkFrames(request.json());
      return EventStream.respond(
          head,
          events -> {
            try (disconnect) {
              new StreamedAnswer(stream, frames, events, config.keepAlive(), served)
                  .write(first, () -> clientLeft(stream));
            }
          });
    } finally {
      if (!isHandedOver) {
        disconnect.close();
      }
    }
  }

  private HttpResponse<?> whole(ReplyStream stream, long startNanos) throws InterruptedException {
    try {
      Answer answer = stream.answer().get();
      MutableHttpResponse<byte[]> response =
          HttpResponse.ok(answer.json().getBytes(StandardCharsets.UTF_8))
              .contentType(MediaType.APPLICATION_JSON_TYPE);
      Served.identify(response, stream.requestId(), startNanos);
      served.describe(response, answer);
      return response;
    } catch (ExecutionException e) {
      if (e.getCause() instanceof RequestFailedException failed) {
        throw new ApiException(ApiError.of(failed.failure()).about(stream.requestId()));
      }
      throw new IllegalStateException(e.getCause());
    }
  }

  /** Returns the first event, unless it takes so long that the client should hear something. */
  private Optional<ReplyEvent> first(ReplyStream stream) throws InterruptedException {
    try {
      return stream.next(config.keepAlive());
    } catch (TimeoutException e) {
      return Optional.empty();
    }
  }

  private void clientLeft(ReplyStream stream) {
    try {
      Thread.sleep(config.disconnectGrace());
      stream.cancel();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
