package io.sluice.simulator.fit;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.Arrays;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.Collectors;

/**
 * An engine that is measured from the client's side. Thread-safe.
 *
 * <p>No call takes longer than {@link #PATIENCE}. After that time, or if the engine rejects the
 * request, the message contains the request and the answer.
 */
public final class MeasuredEngine implements AutoCloseable {

  static final Duration PATIENCE = Duration.ofMinutes(2);

  private static final ObjectMapper JSON = new ObjectMapper();

  private final HttpClient http =
      HttpClient.newBuilder()
          .version(HttpClient.Version.HTTP_1_1)
          .connectTimeout(Duration.ofSeconds(10))
          .build();
  private final URI base;
  private final Optional<String> apiKey;
  private final String model;
  private final int maxModelLen;

  private MeasuredEngine(URI base, Optional<String> model, Optional<String> apiKey) {
    this.base = URI.create(base.toString().replaceAll("/(v1/?)?$", ""));
    this.apiKey = apiKey;
    JsonNode card = card(get("/v1/models").path("data"), model);
    this.model = card.path("id").asText();
    this.maxModelLen = card.path("max_model_len").asInt();
  }

  /**
   * Reads what an engine serves.
   *
   * @param base the address such as {@code http://127.0.0.1:8000}, with or without {@code /v1}
   * @param model the model to measure; empty for the first one in its list
   * @throws IllegalStateException if it does not serve the model or does not report its context
   * @throws UncheckedIOException if it does not answer
   */
  public static MeasuredEngine at(URI base, Optional<String> model, Optional<String> apiKey) {
    MeasuredEngine engine = new MeasuredEngine(base, model, apiKey);
    if (engine.model.isEmpty() || engine.maxModelLen < 1) {
      engine.close();
      throw new IllegalStateException(
          "%s does not serve %s with a max_model_len: check its /v1/models."
              .formatted(engine.base, model.map("the model "::concat).orElse("a model")));
    }
    return engine;
  }

  /** Returns the served name of the model. */
  public String model() {
    return model;
  }

  /** Returns the largest number of tokens in prompt and output together. */
  public int maxModelLen() {
    return maxModelLen;
  }

  /** Returns the version that it reports; empty if it reports none. */
  public String version() {
    return get("/version").path("version").asText("");
  }

  /** Reads its metrics. */
  public MetricsPage metrics() {
    return new MetricsPage(text("/metrics"));
  }

  /**
   * Sends a completion request for a prompt of token ids with an output of exactly this many
   * tokens, and reads its stream.
   */
  CompletableFuture<TokenTimes> stream(int[] prompt, int outputTokens) {
    HttpRequest request =
        request("/v1/completions")
            .header("content-type", "application/json")
            .POST(HttpRequest.BodyPublishers.ofString(body(prompt, outputTokens)))
            .build();
    StreamReader reader = new StreamReader(System.nanoTime());
    return http.sendAsync(request, BodyHandlers.fromLineSubscriber(reader))
        .orTimeout(PATIENCE.toSeconds(), TimeUnit.SECONDS)
        .thenApply(answer -> reader.times(answer.statusCode()));
  }

  /**
   * Waits for a stream.
   *
   * @throws IllegalStateException if it failed or did not end in time; the message says why
   */
  static TokenTimes join(CompletableFuture<TokenTimes> stream) {
    try {
      return stream.join();
    } catch (CompletionException e) {
      Throwable cause = e.getCause() == null ? e : e.getCause();
      throw new IllegalStateException(
          cause instanceof TimeoutException
              ? "A stream of the engine did not end within %d s.".formatted(PATIENCE.toSeconds())
              : "A stream of the engine failed: " + cause.getMessage(),
          e);
    }
  }

  @Override
  public void close() {
    http.shutdownNow();
  }

  private String body(int[] prompt, int outputTokens) {
    return "{\"model\":\"%s\",\"prompt\":[%s],\"max_tokens\":%s,\"ignore_eos\":true,\"temperature\":0,\"stream\":true,\"stream_options\":{\"include_usage\":true,\"continuous_usage_stats\":true}}"
        .formatted(
            model,
            Arrays.stream(prompt).mapToObj(Integer::toString).collect(Collectors.joining(",")),
            outputTokens);
  }

  private JsonNode get(String path) {
    try {
      return JSON.readTree(text(path));
    } catch (JsonProcessingException e) {
      throw new IllegalStateException("The answer of %s%s is not JSON.".formatted(base, path), e);
    }
  }

  private String text(String path) {
    try {
      HttpResponse<String> answer =
          http.send(request(path).timeout(PATIENCE).build(), HttpResponse.BodyHandlers.ofString());
      if (answer.statusCode() != 200) {
        throw new IllegalStateException(
            "%s%s answered %d: %s".formatted(base, path, answer.statusCode(), answer.body()));
      }
      return answer.body();
    } catch (IOException e) {
      throw new UncheckedIOException(
          "%s%s does not answer (%s). Check that the engine is running.".formatted(base, path, e),
          e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("Interrupted while waiting for %s.".formatted(base), e);
    }
  }

  private HttpRequest.Builder request(String path) {
    HttpRequest.Builder request = HttpRequest.newBuilder(URI.create(base + path));
    apiKey.ifPresent(key -> request.header("authorization", "Bearer " + key));
    return request;
  }

  private static JsonNode card(JsonNode cards, Optional<String> model) {
    for (JsonNode card : cards) {
      if (card.path("id").asText().equals(model.orElse(card.path("id").asText()))) {
        return card;
      }
    }
    return JSON.missingNode();
  }
}
