package io.sluice.standalone.verify.pressure;

import io.sluice.simulator.fit.Prompts;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.Arrays;
import java.util.Optional;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.stream.Collectors;

/**
 * Streams that are requested from an engine directly, without the pool, enough to fill its KV
 * cache. A stream that ends is replaced by another, until this is closed. Thread-safe.
 */
final class DirectLoad implements AutoCloseable {
  /** The share of the cache that their prompts fill; their output fills the rest. */
  private static final double FILLED = 0.93;

  private static final int PROMPTS_OF_A_SHARE = 4;

  private final URI completions;
  private final Optional<String> apiKey;
  private final ExecutorService streams = Executors.newVirtualThreadPerTaskExecutor();
  private volatile boolean isOver;

  /** With an offer of HTTP/2, vLLM's server loses the body. */
  private final HttpClient http =
      HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();

  private DirectLoad(URI engine, Optional<String> apiKey) {
    this.completions = engine.resolve("/v1/completions");
    this.apiKey = apiKey;
  }

  /** Starts the streams; returns at once. */
  static DirectLoad start(URI engine, Optional<String> apiKey, String model, KvCache cache) {
    DirectLoad load = new DirectLoad(engine, apiKey);
    int blocks = Math.max(1, cache.share() / PROMPTS_OF_A_SHARE / cache.blockTokens());
    // Half a block is left free, so that the load is constant for a while before it grows.
    int tokens = blocks * cache.blockTokens() - cache.blockTokens() / 2;
    int count = (int) Math.ceil(FILLED * cache.blocks() / blocks);
    long seed = System.nanoTime();
    for (int i = 0; i < count; i++) {
      Prompts prompts = new Prompts(seed + i);
      load.streams.execute(() -> load.stream(model, prompts, tokens, cache.context() - tokens));
    }
    return load;
  }

  @Override
  public void close() {
    isOver = true;
    http.shutdownNow();
    streams.shutdownNow();
  }

  private void stream(String model, Prompts prompts, int tokens, int output) {
    while (!isOver) {
      try {
        HttpResponse<InputStream> answer =
            http.send(request(model, prompts.next(tokens), output), BodyHandlers.ofInputStream());
        try (InputStream body = answer.body()) {
          body.transferTo(OutputStream.nullOutputStream());
        }
        if (answer.statusCode() != 200) {
          return;
        }
      } catch (IOException e) {
        return;
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        return;
      }
    }
  }

  private HttpRequest request(String model, int[] prompt, int output) {
    HttpRequest.Builder request =
        HttpRequest.newBuilder(completions)
            .header("content-type", "application/json")
            .POST(BodyPublishers.ofString(body(model, prompt, output, true)));
    apiKey.ifPresent(key -> request.header("authorization", "Bearer " + key));
    return request.build();
  }

  /** Returns the body of a completion of these token ids with exactly this many output tokens. */
  static String body(String model, int[] prompt, int output, boolean isStreamed) {
    return "{\"model\":\"%s\",\"prompt\":[%s],\"max_tokens\":%d,\"ignore_eos\":true,\"temperature\":0,\"stream\":%b}"
        .formatted(
            model,
            Arrays.stream(prompt).mapToObj(Integer::toString).collect(Collectors.joining(",")),
            output,
            isStreamed);
  }
}
