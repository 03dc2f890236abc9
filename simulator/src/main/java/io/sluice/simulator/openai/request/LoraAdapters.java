package io.sluice.simulator.openai.request;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/** The loaded LoRA adapters. Thread-safe. */
public final class LoraAdapters {

  private final Map<String, String> paths;

  /** Creates the set of adapters that are loaded at start: paths by name. */
  public LoraAdapters(Map<String, String> paths) {
    this.paths = new LinkedHashMap<>(new TreeMap<>(paths));
  }

  /** Returns the paths of all adapters by name. */
  public synchronized Map<String, String> all() {
    return new LinkedHashMap<>(paths);
  }

  synchronized Optional<String> path(String name) {
    return Optional.ofNullable(paths.get(name));
  }

  /**
   * Loads an adapter.
   *
   * @param inPlace whether it may replace an adapter of the same name
   */
  public synchronized void load(String name, String path, boolean inPlace) {
    if (paths.containsKey(name) && !inPlace) {
      throw ApiError.badLora(
          "The lora adapter '"
              + name
              + "' has already been loaded. If you want to load the adapter in place, set 'load_inplace' to True.");
    }
    paths.put(name, path);
  }

  /** Unloads an adapter. */
  public synchronized void unload(String name) {
    if (paths.remove(name) == null) {
      throw ApiError.unknownLora(name);
    }
  }
}
