package io.sluice.gateway.pool;

import io.micronaut.http.MutableHttpResponse;
import io.sluice.gateway.model.FleetModels;
import io.sluice.producer.reply.Answer;
import jakarta.inject.Singleton;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.stream.Collectors;

/** Tells callers who served a request. Thread-safe. */
@Singleton
public final class Served {
  private final FleetModels fleet;

  Served(FleetModels fleet) {
    this.fleet = fleet;
  }

  /** Adds the pool's id of the request. */
  public static void identify(MutableHttpResponse<?> response, String requestId) {
    response.header("x-request-id", requestId);
  }

  /** Adds who served the request, as headers {@code x-sluice-*}. */
  public void describe(MutableHttpResponse<?> response, Answer answer) {
    headers(answer).forEach(response::header);
  }

  /** Returns who served the request, as headers {@code x-sluice-*} by name. */
  public Map<String, String> headers(Answer answer) {
    Map<String, String> headers = new LinkedHashMap<>();
    facts(answer).forEach((name, value) -> headers.put("x-sluice-" + name, value));
    return headers;
  }

  /** Returns who served the request, for the last comment of a stream. */
  public String comment(Answer answer) {
    return facts(answer).entrySet().stream()
        .map(fact -> fact.getKey() + "=" + fact.getValue())
        .collect(Collectors.joining(" "));
  }

  private Map<String, String> facts(Answer answer) {
    Map<String, String> facts = new LinkedHashMap<>();
    answer.worker().ifPresent(worker -> facts.put("worker", worker));
    answer.worker().flatMap(fleet::tierOf).ifPresent(tier -> facts.put("tier", tier));
    answer.model().ifPresent(model -> facts.put("model", model));
    facts.put("attempts", Integer.toString(answer.attempts()));
    facts.put("fallback", Boolean.toString(answer.fallback()));
    return facts;
  }
}
