package io.sluice.router.schedule;

import io.sluice.common.protocol.Control;
import io.sluice.router.request.EarlyControl;
import io.sluice.router.request.EarlyControlIds;
import io.sluice.router.request.RequestStore;
import io.sluice.router.request.TimePoint;
import java.time.Duration;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableSet;
import java.util.OptionalLong;
import java.util.TreeSet;

/**
 * Controls that arrived before their requests, or that belong to another partition. A sender that
 * does not know the partition sends to all of them, and asks for a shorter retention where the
 * request is unlikely to be. The last control of each kind counts, until the time that it carries.
 * Without such a time it is kept for one hour; the maximum is one day. At most {@value #MOST}
 * requests are remembered, and those that expire first are dropped first. The controls are stored,
 * so they survive the task. While the task runs they are also in {@link EarlyControlIds}, because
 * their requests may be parked. Not thread-safe.
 */
final class EarlyControls {
  static final int MOST = 10_000;
  static final Duration KEPT = Duration.ofHours(1);
  static final Duration LONGEST_KEPT = Duration.ofHours(24);

  /**
   * @param order breaks ties between equal times: the older control goes first
   */
  private record Kept(EarlyControl control, long order) {
    long untilMillis() {
      return control.untilMillis();
    }
  }

  private final int partition;
  private final RequestStore store;
  private final EarlyControlIds ids;
  private final Map<String, Kept> byId = new HashMap<>();
  private final NavigableSet<Kept> soonestOver =
      new TreeSet<>(Comparator.comparingLong(Kept::untilMillis).thenComparingLong(Kept::order));
  private long added;

  EarlyControls(int partition, RequestStore store, EarlyControlIds ids) {
    this.partition = partition;
    this.store = store;
    this.ids = ids;
  }

  void add(Control control, OptionalLong keepUntilMillis, TimePoint now) {
    long until =
        Math.min(
            keepUntilMillis.orElse(now.epochMillis() + KEPT.toMillis()),
            now.epochMillis() + LONGEST_KEPT.toMillis());
    Kept before = byId.get(control.requestId());
    EarlyControl all =
        before == null ? EarlyControl.of(control, until) : before.control().and(control, until);
    store.keep(all);
    restore(all);
    while (byId.size() > MOST) {
      forgetFirst();
    }
  }

  /** Restores a control that an earlier task has stored. */
  void restore(EarlyControl control) {
    Kept kept = new Kept(control, added++);
    Kept before = byId.put(control.requestId(), kept);
    if (before == null) {
      ids.add(partition, control);
    } else {
      soonestOver.remove(before);
      if (before.control().isCancel() != control.isCancel()) {
        ids.remove(partition, before.control());
        ids.add(partition, control);
      }
    }
    soonestOver.add(kept);
  }

  /**
   * Takes the controls of a request that has just arrived, as far as they still count. The caller
   * stores the request in their place.
   */
  List<Control> take(String requestId, TimePoint now) {
    Kept kept = byId.remove(requestId);
    if (kept == null) {
      return List.of();
    }
    soonestOver.remove(kept);
    ids.remove(partition, kept.control());
    return kept.control().at(now);
  }

  /** Drops expired controls. */
  void expire(TimePoint now) {
    while (!soonestOver.isEmpty() && soonestOver.getFirst().untilMillis() < now.epochMillis()) {
      forgetFirst();
    }
  }

  private void forgetFirst() {
    EarlyControl first = soonestOver.removeFirst().control();
    byId.remove(first.requestId());
    ids.remove(partition, first);
    store.forget(first.requestId());
  }

  /** Releases this task's share. The controls stay stored. */
  void close() {
    byId.values().forEach(kept -> ids.remove(partition, kept.control()));
    byId.clear();
    soonestOver.clear();
  }
}
