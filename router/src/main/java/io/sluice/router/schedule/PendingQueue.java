package io.sluice.router.schedule;

import io.sluice.common.protocol.Priority;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeSet;
import java.util.function.Predicate;

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

  /** One waiting request. */
  record Waiting(
      Priority priority,
      long deadlineEpochMillis,
      long offset,
      String requestId,
      long contextTokens) {
    static final Comparator<Waiting> ORDER =
        Comparator.comparing(Waiting::priority)
            .thenComparingLong(Waiting::deadlineEpochMillis)
            .thenComparingLong(Waiting::offset)
            .thenComparing(Waiting::requestId);

    static Waiting of(RequestFacts facts) {
      return new Waiting(
          facts.priority(),
          facts.deadlineEpochMillis(),
          facts.source().offset(),
          facts.requestId(),
          facts.contextTokens());
    }
  }

  private final Map<Group, TreeSet<Waiting>> groups = new HashMap<>();
  private final Backlog backlog;

  PendingQueue(Backlog backlog) {
    this.backlog = backlog;
  }

  void add(RequestFacts facts) {
    Group group = Group.of(facts);
    if (groups.computeIfAbsent(group, any -> new TreeSet<>(Waiting.ORDER)).add(Waiting.of(facts))) {
      backlog.added(group, facts.priority());
    }
  }

  void remove(RequestFacts facts) {
    Group group = Group.of(facts);
    TreeSet<Waiting> queue = groups.get(group);
    if (queue != null && queue.remove(Waiting.of(facts))) {
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
        .sorted(Comparator.comparing(group -> group.getValue().first(), Waiting.ORDER))
        .map(Map.Entry::getKey)
        .toList();
  }

  /** The request that is next in its group; empty if none may go now. */
  Optional<Waiting> first(Group group) {
    TreeSet<Waiting> queue = groups.get(group);
    return Optional.ofNullable(queue).map(TreeSet::first).filter(mayGo(group));
  }

  /** The request behind another one, which need not be there any more. */
  Optional<Waiting> after(Group group, Waiting other) {
    TreeSet<Waiting> queue = groups.get(group);
    return Optional.ofNullable(queue).map(waiting -> waiting.higher(other)).filter(mayGo(group));
  }

  private Predicate<Waiting> mayGo(Group group) {
    return waiting -> !backlog.mustYield(group, waiting.priority());
  }

  /** Takes everything out, so that the shared backlog no longer counts it. */
  void clear() {
    groups.forEach(
        (group, queue) -> queue.forEach(waiting -> backlog.removed(group, waiting.priority())));
    groups.clear();
  }
}
