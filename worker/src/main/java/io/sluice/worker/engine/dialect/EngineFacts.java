package io.sluice.worker.engine.dialect;

import java.util.List;
import java.util.Optional;

/**
 * What a generation must know of the engine that serves it.
 *
 * @param models the names that the engine lists, its own first; may be empty
 * @param announced the name that the worker serves under, where it is configured
 */
public record EngineFacts(List<String> models, Optional<String> announced, EngineDialect dialect) {
  public EngineFacts {
    models = List.copyOf(models);
  }

  /**
   * The name to use in requests to the engine, which knows only its own ones: an alias and no name
   * at all become one.
   *
   * @param asked by the caller; may be empty
   * @return empty if the caller's own name is right
   */
  public Optional<String> engineModel(String asked, Optional<String> fallback) {
    String model = fallback.orElse(asked);
    boolean isOurs = model.isEmpty() || announced.equals(Optional.of(model));
    boolean isKnown = models.contains(model);
    return isOurs && !isKnown ? models.stream().findFirst().or(() -> announced) : fallback;
  }
}
