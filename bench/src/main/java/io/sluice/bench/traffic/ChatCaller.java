package io.sluice.bench.traffic;

import io.sluice.bench.gateway.Gateways;
import io.sluice.bench.gateway.SseBody;
import io.sluice.standalone.pool.PoolPlan;
import java.io.IOException;
import java.io.InputStream;
import java.net.http.HttpHeaders;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.Map;
import java.util.OptionalDouble;
import java.util.OptionalLong;
import java.util.concurrent.atomic.AtomicInteger;

/** Sends streamed chats of 10 to 69 tokens, without a retry. Thread-safe. */
public final class ChatCaller {
  private static final Duration PATIENCE = Duration.ofMinutes(2);
  private static final int FEWEST_TOKENS = 10;
  private static final int TOKEN_COUNTS = 60;

  private final Gateways gateways;
  private final AtomicInteger asked = new AtomicInteger();

  public ChatCaller(Gateways gateways) {
    this.gateways = gateways;
  }

  /** Sends one request and reads its answer to the end. */
  public ChatOutcome call() throws InterruptedException {
    long sent = System.nanoTime();
    int number = asked.incrementAndGet();
    int tokens = FEWEST_TOKENS + number * 37 % TOKEN_COUNTS;
    String body =
        """
        {"model":"%s","stream":true,"max_tokens":%d,"ignore_eos":true,
        "messages":[{"role":"user","content":"Question %d: how are you?"}]}"""
            .formatted(PoolPlan.MODEL, tokens, number);
    int status = 0;
    double head = 0;
    OptionalDouble first = OptionalDouble.empty();
    OptionalLong retryAfter = OptionalLong.empty();
    boolean isWhole = false;
    try {
      HttpResponse<InputStream> response =
          gateways.post(0, "/v1/chat/completions", Map.of(), body, PATIENCE);
      status = response.statusCode();
      head = millisSince(sent);
      retryAfter = retryAfter(response.headers());
      try (var events = new SseBody(response.body(), PATIENCE)) {
        for (var event = events.next(); event.isPresent(); event = events.next()) {
          if (first.isEmpty()) {
            first = OptionalDouble.of(millisSince(sent));
          }
          isWhole |= event.get().data().equals("[DONE]");
        }
      }
    } catch (IOException e) {
      // What came before tells enough.
    }
    return new ChatOutcome(System.nanoTime(), status, head, first, retryAfter, isWhole);
  }

  /** Clients know one of two headers, so a refusal needs both. */
  private static OptionalLong retryAfter(HttpHeaders headers) {
    return headers.firstValue("Retry-After").isPresent()
        ? headers.firstValueAsLong("retry-after-ms")
        : OptionalLong.empty();
  }

  private static double millisSince(long nanos) {
    return (System.nanoTime() - nanos) / 1e6;
  }
}
