package io.sluice.router.fleet;

import java.util.AbstractMap;
import java.util.AbstractSet;
import java.util.Arrays;
import java.util.Collection;
import java.util.Collections;
import java.util.Iterator;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.BiConsumer;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * Workers in the order of their ids, which is the same in all processes, unlike the order of {@link
 * Map#copyOf}. So decisions that draw random numbers can be repeated. Every heartbeat of a worker
 * makes a new one, and every decision reads it whole, which arrays make cheap. Immutable.
 */
final class OrderedWorkers extends AbstractMap<String, WorkerView> {
  private final String[] ids;
  private final WorkerView[] views;

  private OrderedWorkers(String[] ids, WorkerView[] views) {
    this.ids = ids;
    this.views = views;
  }

  /** Returns the argument if it is already such a map, otherwise a copy. */
  static OrderedWorkers of(Map<String, WorkerView> workers) {
    if (workers instanceof OrderedWorkers ordered) {
      return ordered;
    }
    boolean isSorted =
        workers instanceof SortedMap<String, WorkerView> sorted && sorted.comparator() == null;
    Map<String, WorkerView> inOrder = isSorted ? workers : new TreeMap<>(workers);
    return new OrderedWorkers(
        inOrder.keySet().toArray(new String[0]), inOrder.values().toArray(new WorkerView[0]));
  }

  /** Returns the same workers, with a newer view of one of them, or with that one more. */
  OrderedWorkers with(WorkerView view) {
    String id = view.snapshot().id();
    int at = indexOf(id);
    if (at < 0) {
      Map<String, WorkerView> more = new TreeMap<>(this);
      more.put(id, view);
      return of(more);
    }
    WorkerView[] changed = views.clone();
    changed[at] = view;
    return new OrderedWorkers(ids, changed);
  }

  /** Returns the index of a worker; negative if it is not there. */
  int indexOf(String id) {
    return Arrays.binarySearch(ids, id);
  }

  WorkerView at(int index) {
    return views[index];
  }

  @Override
  public int size() {
    return ids.length;
  }

  @Override
  public boolean containsKey(@Nullable Object id) {
    return get(id) != null;
  }

  @Override
  public @Nullable WorkerView get(@Nullable Object id) {
    int at = id instanceof String name ? indexOf(name) : -1;
    return at < 0 ? null : views[at];
  }

  @Override
  public Collection<WorkerView> values() {
    return Collections.unmodifiableList(Arrays.asList(views));
  }

  @Override
  public void forEach(BiConsumer<? super String, ? super WorkerView> action) {
    for (int at = 0; at < ids.length; at++) {
      action.accept(ids[at], views[at]);
    }
  }

  @Override
  public Set<Entry<String, WorkerView>> entrySet() {
    return new AbstractSet<>() {
      @Override
      public Iterator<Entry<String, WorkerView>> iterator() {
        return IntStream.range(0, ids.length)
            .mapToObj(at -> Map.entry(ids[at], views[at]))
            .iterator();
      }

      @Override
      public int size() {
        return ids.length;
      }
    };
  }
}
