package io.sluice.fleet;

import java.util.List;

/**
 * What an engine is made for, beyond its models.
 *
 * @param draftSuits the kinds of text that its draft model was tuned for, such as {@code code};
 *     empty without speculative decoding
 * @param refuses request options that it refuses, such as {@code best_of} or {@code beam_search}
 * @param loadedAdapters LoRA adapters that are in its GPU's memory now
 */
public record EngineTraits(
    List<String> draftSuits, List<String> refuses, List<String> loadedAdapters) {
  /** Of an engine with nothing special. */
  public static final EngineTraits NONE = new EngineTraits(List.of(), List.of(), List.of());

  /** What an older peer does not send is empty. */
  @SuppressWarnings("ConstantValue") // absent JSON fields arrive as null
  public EngineTraits {
    draftSuits = draftSuits == null ? List.of() : List.copyOf(draftSuits);
    refuses = refuses == null ? List.of() : List.copyOf(refuses);
    loadedAdapters = loadedAdapters == null ? List.of() : List.copyOf(loadedAdapters);
  }
}
