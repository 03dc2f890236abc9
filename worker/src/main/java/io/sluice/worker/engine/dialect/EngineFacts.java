package io.sluice.worker.engine.dialect;

import java.util.List;
import java.util.Optional;

/**
 * What a generation needs to know about the engine that serves it.
 *
 * @param models the names that the engine lists, the one first that the worker serves by default;
 *     may be empty
 * @param announced the name that the worker serves under, if one is configured
 */
public record EngineFacts(List<String> models, Optional<String> announced, EngineDialect dialect) {
  public EngineFacts {
    models = List.copyOf(models);
  }

  /**
   * Returns the model name to send to the engine, which knows only the names that it lists. The
   * worker's alias, and no name at all, are replaced by the engine's own name.
   *
   * @param asked the name that the caller sent; may be empty
   * @return empty if the caller's own name is right
   */
  public Optional<String> engineModel(String asked, Optional<String> fallback) {
    String model = fallback.orElse(asked);
    boolean isAlias = model.isEmpty() || announced.equals(Optional.of(model));
    boolean isKnown = models.contains(model);
    return isAlias && !isKnown ? models.stream().findFirst().or(() -> announced) : fallback;
  }
}
