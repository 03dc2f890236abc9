package io.sluice.router.fleet;

import java.util.AbstractMap;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Workers in the order of their ids, which is the same in all processes, unlike the order of {@link
 * Map#copyOf}. So decisions that draw random numbers can be repeated. Immutable.
 */
final class OrderedWorkers extends AbstractMap<String, WorkerView> {
  private final Map<String, WorkerView> byId;

  private OrderedWorkers(Map<String, WorkerView> byId) {
    this.byId = Collections.unmodifiableMap(byId);
  }

  /** Returns the argument if it is already such a map, otherwise a copy. */
  static OrderedWorkers of(Map<String, WorkerView> workers) {
    return workers instanceof OrderedWorkers ordered
        ? ordered
        : new OrderedWorkers(new LinkedHashMap<>(new TreeMap<>(workers)));
  }

  @Override
  public Set<Entry<String, WorkerView>> entrySet() {
    return byId.entrySet();
  }

  @Override
  public boolean containsKey(@Nullable Object id) {
    return byId.containsKey(id);
  }

  @Override
  public @Nullable WorkerView get(@Nullable Object id) {
    return byId.get(id);
  }
}
