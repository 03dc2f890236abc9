package io.sluice.router.catalog;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;

/**
 * The models that the pool is configured to serve, whether or not a worker for them is alive. A
 * request for another model is refused at once; a request for one of these waits for a worker. An
 * empty catalog refuses nothing.
 *
 * @param maxModelLen the longest context (prompt plus output) that any worker of a model takes, in
 *     tokens, by model name; the first model serves requests that name none
 */
public record ModelCatalog(Map<String, Integer> maxModelLen) {
  public ModelCatalog {
    maxModelLen = Collections.unmodifiableMap(new LinkedHashMap<>(maxModelLen));
  }

  /**
   * Parses {@code name=max_model_len,...}. An empty text means an empty catalog.
   *
   * @throws IllegalArgumentException if an entry does not have this form
   */
  public static ModelCatalog parse(String text) {
    Map<String, Integer> models = new LinkedHashMap<>();
    for (String entry : text.split(",", -1)) {
      if (entry.isBlank()) {
        continue;
      }
      int equals = entry.lastIndexOf('=');
      String length = entry.substring(equals + 1).strip();
      if (equals < 1 || !length.matches("[1-9][0-9]{0,8}")) {
        throw new IllegalArgumentException(
            "model '%s' must be written as name=max_model_len, e.g. llama-8b=32768"
                .formatted(entry.strip()));
      }
      models.put(entry.substring(0, equals).strip(), Integer.valueOf(length));
    }
    return new ModelCatalog(models);
  }

  public Optional<String> defaultModel() {
    return maxModelLen.keySet().stream().findFirst();
  }

  boolean refuses(String model) {
    return !maxModelLen.isEmpty() && !maxModelLen.containsKey(model);
  }

  /**
   * Returns the longest context of a model, in tokens; empty if the model is not in the catalog.
   */
  public OptionalInt longest(String model) {
    Integer length = maxModelLen.get(model);
    return length == null ? OptionalInt.empty() : OptionalInt.of(length);
  }
}
