package io.sluice.standalone.verify.pressure;

import com.fasterxml.jackson.databind.JsonNode;
import io.sluice.verify.http.EngineAnswer;
import io.sluice.verify.http.EngineClient;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/** An engine's whole answers to completions that it is asked for directly. Thread-safe. */
final class UninterruptedAnswers {
  /** They fit into the cache together. */
  private static final int AT_ONCE = 3;

  private final EngineClient engine;

  UninterruptedAnswers(EngineClient engine) {
    this.engine = engine;
  }

  /** Returns the {@linkplain #essence essence} of each answer. */
  List<String> to(List<String> bodies) {
    try (ExecutorService askers = Executors.newFixedThreadPool(AT_ONCE)) {
      return bodies.stream().map(body -> askers.submit(() -> to(body))).toList().stream()
          .map(UninterruptedAnswers::got)
          .toList();
    }
  }

  /** Returns the {@linkplain #essence essence} of the answer. */
  String to(String body) {
    return essence(engine.post("/v1/completions", body).body());
  }

  /** Returns the text, the finish reason and the number of tokens. */
  static String essence(String json) {
    JsonNode answer = EngineAnswer.json(json);
    return "%s %s %s"
        .formatted(
            answer.at("/usage/completion_tokens"),
            answer.at("/choices/0/finish_reason"),
            answer.at("/choices/0/text"));
  }

  private static String got(Future<String> answer) {
    try {
      return answer.get();
    } catch (ExecutionException e) {
      throw new IllegalStateException("the engine does not respond: " + e.getCause(), e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("interrupted", e);
    }
  }
}
