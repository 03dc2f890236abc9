package io.sluice.router.fleet;

import java.util.Map;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.function.Predicate;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * Views of workers by id, and immutable copies of them. A copy after a new view of a known worker,
 * which each heartbeat brings, shares all but one array with the copy before. Not thread-safe.
 */
final class WorkerViews {
  private final Map<String, WorkerView> views = new TreeMap<>();

  /** The last copy, brought up to date; null if it has to be made again. */
  private @Nullable OrderedWorkers copy;

  /** The view of a worker; null if it is not known. */
  @Nullable WorkerView get(String id) {
    return views.get(id);
  }

  /** Returns the view before; null if the worker was not known. */
  @Nullable WorkerView put(WorkerView view) {
    WorkerView before = views.put(view.snapshot().id(), view);
    if (before == null) {
      copy = null;
    } else if (copy != null && !view.equals(before)) {
      copy = copy.with(view);
    }
    return before;
  }

  /** Makes the next copy from scratch, which is cheaper than many updates. */
  void expectMany() {
    copy = null;
  }

  /** Returns the view before; null if the worker was not known. */
  @Nullable WorkerView remove(String id) {
    copy = null;
    return views.remove(id);
  }

  void replaceAll(UnaryOperator<WorkerView> later) {
    copy = null;
    views.replaceAll((id, view) -> later.apply(view));
  }

  /** Forgets some workers, and passes them on. */
  void removeIf(Predicate<WorkerView> isForgotten, Consumer<WorkerView> forgotten) {
    boolean hasRemoved =
        views
            .values()
            .removeIf(
                view -> {
                  boolean isGone = isForgotten.test(view);
                  if (isGone) {
                    forgotten.accept(view);
                  }
                  return isGone;
                });
    if (hasRemoved) {
      copy = null;
    }
  }

  /** Keeps the entries of known workers only. */
  void retainIn(Map<String, ?> byId) {
    byId.keySet().retainAll(views.keySet());
  }

  /** Returns all views, in the order of the ids. */
  OrderedWorkers all() {
    if (copy == null) {
      copy = OrderedWorkers.of(views);
    }
    return copy;
  }
}
