package io.sluice.router.schedule;

import io.sluice.common.protocol.Priority;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeSet;

/**
 * One task's waiting requests: a queue per model, lane and tier, so that none of these holds up
 * another, each ordered by (priority, deadline, arrival). Not thread-safe.
 */
final class PendingQueue {

  /** Requests that the same workers can serve. */
  record Group(String model, String lane, Optional<String> tier) {
    static Group of(RequestFacts facts) {
      return new Group(facts.model(), facts.lane(), facts.tier());
    }
  }

  private record Entry(Priority priority, long deadlineEpochMillis, long offset, String requestId) {
    static final Comparator<Entry> ORDER =
        Comparator.comparing(Entry::priority)
            .thenComparingLong(Entry::deadlineEpochMillis)
            .thenComparingLong(Entry::offset)
            .thenComparing(Entry::requestId);

    static Entry of(RequestFacts facts) {
      return new Entry(
          facts.priority(),
          facts.deadlineEpochMillis(),
          facts.source().offset(),
          facts.requestId());
    }
  }

  private final Map<Group, TreeSet<Entry>> groups = new HashMap<>();
  private final Backlog backlog;

  PendingQueue(Backlog backlog) {
    this.backlog = backlog;
  }

  void add(RequestFacts facts) {
    Group group = Group.of(facts);
    if (groups.computeIfAbsent(group, any -> new TreeSet<>(Entry.ORDER)).add(Entry.of(facts))) {
      backlog.added(group, facts.priority());
    }
  }

  void remove(RequestFacts facts) {
    Group group = Group.of(facts);
    TreeSet<Entry> queue = groups.get(group);
    if (queue != null && queue.remove(Entry.of(facts))) {
      backlog.removed(group, facts.priority());
      if (queue.isEmpty()) {
        groups.remove(group);
      }
    }
  }

  /** The groups in which something may go now, the most urgent first. */
  List<Group> ready() {
    return groups.entrySet().stream()
        .filter(group -> !backlog.mustYield(group.getKey(), group.getValue().first().priority()))
        .sorted(Comparator.comparing(group -> group.getValue().first(), Entry.ORDER))
        .map(Map.Entry::getKey)
        .toList();
  }

  /** The id of the request that is next in its group. */
  Optional<String> head(Group group) {
    TreeSet<Entry> queue = groups.get(group);
    return queue == null || backlog.mustYield(group, queue.first().priority())
        ? Optional.empty()
        : Optional.of(queue.first().requestId());
  }

  /** Takes everything out, so that the shared backlog no longer counts it. */
  void clear() {
    groups.forEach(
        (group, queue) -> queue.forEach(entry -> backlog.removed(group, entry.priority())));
    groups.clear();
  }
}
