package io.sluice.router.catalog;

import io.sluice.common.protocol.Priority;
import io.sluice.common.protocol.RequestHeaders;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/**
 * The models that serve requests while the workers of the requested model have no room. Bulk
 * requests have time and wait for their own model, unless they name a fallback themselves.
 *
 * @param byModel the fallback models of the pool, by requested model
 */
public record FallbackModels(Map<String, String> byModel) {
  /** A pool without fallback models. */
  public static final FallbackModels NONE = new FallbackModels(Map.of());

  public FallbackModels {
    byModel = Map.copyOf(byModel);
  }

  /**
   * Parses {@code model=fallback,...}. An empty text means no fallback models.
   *
   * @throws IllegalArgumentException if an entry does not have this form
   */
  public static FallbackModels parse(String text) {
    Map<String, String> byModel = new LinkedHashMap<>();
    for (String entry : text.split(",", -1)) {
      if (entry.isBlank()) {
        continue;
      }
      int equals = entry.indexOf('=');
      String fallback = entry.substring(equals + 1).strip();
      if (equals < 1 || fallback.isEmpty()) {
        throw new IllegalArgumentException(
            "fallback '%s' must be written as model=fallback, e.g. llama-8b=llama-1b"
                .formatted(entry.strip()));
      }
      byModel.put(entry.substring(0, equals).strip(), fallback);
    }
    return new FallbackModels(byModel);
  }

  /** Returns what is wrong with the fallback model that a request names; empty if nothing is. */
  public static Optional<String> problem(RequestHeaders headers, ServedModels served) {
    return headers
        .fallbackModel()
        .filter(name -> !name.equals(RequestHeaders.NO_FALLBACK) && served.refuses(name))
        .map(
            name ->
                "header 'fallback-model' must name a model that this pool serves, or none; available models: "
                    + String.join(", ", served.configured().maxModelLen().keySet()));
  }

  /** Returns the fallback model of a request. */
  public Optional<String> of(String model, RequestHeaders headers) {
    Optional<String> pools =
        headers.priority() == Priority.BULK
            ? Optional.empty()
            : Optional.ofNullable(byModel.get(model));
    return headers
        .fallbackModel()
        .or(() -> pools)
        .filter(
            name ->
                !name.equals(RequestHeaders.NO_FALLBACK) && !name.equals(model) && !name.isBlank());
  }
}
