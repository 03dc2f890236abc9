package io.sluice.fleet;

import java.util.List;

/**
 * The properties of an engine other than its models.
 *
 * @param draftSuits the kinds of text that its draft model was tuned for, such as {@code code};
 *     empty without speculative decoding
 * @param refuses request options that it rejects, such as {@code best_of} or {@code beam_search}
 * @param loadedAdapters the LoRA adapters that are currently in GPU memory
 */
public record EngineTraits(
    List<String> draftSuits, List<String> refuses, List<String> loadedAdapters) {
  /** The traits of an engine without special properties. */
  public static final EngineTraits NONE = new EngineTraits(List.of(), List.of(), List.of());

  /** Replaces the fields that an older peer did not send by empty values. */
  @SuppressWarnings("ConstantValue") // absent JSON fields arrive as null
  public EngineTraits {
    draftSuits = draftSuits == null ? List.of() : List.copyOf(draftSuits);
    refuses = refuses == null ? List.of() : List.copyOf(refuses);
    loadedAdapters = loadedAdapters == null ? List.of() : List.copyOf(loadedAdapters);
  }
}
