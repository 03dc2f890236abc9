package io.sluice.router.queue;

import io.sluice.common.protocol.Priority;
import io.sluice.router.request.RequestMetadata;
import io.sluice.router.request.TimePoint;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;

/**
 * The waiting requests of one task, in one queue for each group that the same workers can serve, so
 * that no group blocks another. Each queue is ordered by priority and then by {@link FairQueue}.
 * Not thread-safe.
 */
public final class PendingQueue {

  /** Requests that the same workers can serve. */
  public record Group(
      String model,
      String lane,
      List<String> tiers,
      List<String> needs,
      Optional<String> fallbackModel) {
    public static Group of(RequestMetadata metadata) {
      return new Group(
          metadata.model(),
          metadata.lane(),
          metadata.classification().tiers(),
          metadata.classification().needs(),
          metadata.fallbackModel());
    }
  }

  /** One waiting request. */
  public record Waiting(
      Priority priority,
      String tenant,
      long deadlineEpochMillis,
      long offset,
      String requestId,
      long contextTokens,
      long heapBytes) {
    /** Without chained comparators, which take half of the time of a walk through a backlog. */
    static final Comparator<Waiting> ORDER = Waiting::compare;

    private static int compare(Waiting one, Waiting other) {
      int order = one.priority.compareTo(other.priority);
      if (order == 0) {
        order = Long.compare(one.deadlineEpochMillis, other.deadlineEpochMillis);
      }
      if (order == 0) {
        order = Long.compare(one.offset, other.offset);
      }
      return order == 0 ? one.requestId.compareTo(other.requestId) : order;
    }

    static Waiting of(RequestMetadata metadata) {
      return new Waiting(
          metadata.priority(),
          metadata.tenant(),
          metadata.deadlineEpochMillis(),
          metadata.source().offset(),
          metadata.requestId(),
          metadata.contextTokens(),
          metadata.heapBytes());
    }
  }

  /** The next request of a group. Turns of several groups are ordered by who may go first. */
  public record Turn(Group group, FairQueue.Head head) implements Comparable<Turn> {
    private static final Comparator<Turn> ORDER =
        Comparator.<Turn, Priority>comparing(turn -> turn.waiting().priority())
            .thenComparing(turn -> !turn.head().urgent())
            .thenComparingLong(
                turn -> turn.head().urgent() ? turn.waiting().deadlineEpochMillis() : 0)
            .thenComparingLong(turn -> turn.head().tag())
            .thenComparing(Turn::waiting, Waiting.ORDER);

    public Waiting waiting() {
      return head.waiting();
    }

    @Override
    public int compareTo(Turn other) {
      return ORDER.compare(this, other);
    }
  }

  /** The requests of each group by priority. */
  private final Map<Group, EnumMap<Priority, FairQueue>> groups = new HashMap<>();

  private final CrossPartitionYields yields =
      new CrossPartitionYields(group -> !groups.containsKey(group));
  private final Set<Group> changed = new HashSet<>();
  private final Backlog backlog;

  public PendingQueue(Backlog backlog) {
    this.backlog = backlog;
  }

  /** Has no effect if the request already waits. */
  public void add(RequestMetadata metadata) {
    Waiting waiting = Waiting.of(metadata);
    // This comes first, because the queue asks the share for the tenant's position.
    backlog.added(metadata);
    FairQueue queue =
        groups
            .computeIfAbsent(Group.of(metadata), any -> new EnumMap<>(Priority.class))
            .computeIfAbsent(
                metadata.priority(), any -> new FairQueue(backlog.shares().of(metadata)));
    if (queue.add(waiting)) {
      changed.add(Group.of(metadata));
    } else {
      backlog.removed(metadata);
    }
  }

  /** Has no effect if the request does not wait. */
  public void remove(RequestMetadata metadata) {
    Group group = Group.of(metadata);
    EnumMap<Priority, FairQueue> queues = groups.get(group);
    FairQueue queue = queues == null ? null : queues.get(metadata.priority());
    if (queues == null || queue == null || !queue.remove(Waiting.of(metadata))) {
      return;
    }
    backlog.removed(metadata);
    changed.add(group);
    if (queue.isEmpty()) {
      queues.remove(metadata.priority());
    }
    if (queues.isEmpty()) {
      groups.remove(group);
    }
  }

  /** Returns the groups that requests have joined or left since the last call. */
  public Set<Group> takeChanged() {
    Set<Group> taken = Set.copyOf(changed);
    changed.clear();
    return taken;
  }

  /** Returns whether nothing waits. */
  public boolean isEmpty() {
    return groups.isEmpty();
  }

  /** A waiting request is dispatched for the first time. Its tenant is charged for it. */
  public void served(RequestMetadata metadata, TimePoint now) {
    var _ = backlog.served(metadata, now);
  }

  /** Returns whether a request must yield to others of its kind. */
  public boolean mustYield(RequestMetadata metadata) {
    return backlog.mustYield(Group.of(metadata), metadata.priority());
  }

  /** Returns the groups of the waiting requests. */
  public Set<Group> groups() {
    return Set.copyOf(groups.keySet());
  }

  /** Visits the waiting requests of a group. */
  public void forEach(Group group, Consumer<Waiting> visitor) {
    EnumMap<Priority, FairQueue> queues = groups.get(group);
    if (queues != null) {
      queues.values().forEach(queue -> queue.forEach(visitor));
    }
  }

  /** Returns the next request of each group that has one that may go now. */
  public List<Turn> turns(TimePoint now) {
    return groups.keySet().stream().flatMap(group -> first(group, now).stream()).toList();
  }

  /** Returns the next request of a group; empty if none may go now. */
  public Optional<Turn> first(Group group, TimePoint now) {
    EnumMap<Priority, FairQueue> queues = groups.get(group);
    return queues == null
        ? Optional.empty()
        : queues.entrySet().stream()
            .findFirst()
            .filter(queue -> !backlog.mustYield(group, queue.getKey()))
            .map(queue -> queue.getValue().first(now.epochMillis()))
            .filter(head -> !yields.of(group).waits(head.lead(), now.nanos()))
            .map(head -> new Turn(group, head));
  }

  /** Returns the request behind another one of its group. */
  public Optional<Turn> after(Turn other, TimePoint now) {
    Group group = other.group();
    EnumMap<Priority, FairQueue> queues = groups.get(group);
    if (queues == null) {
      return Optional.empty();
    }
    Priority priority = other.waiting().priority();
    return Optional.ofNullable(queues.get(priority))
        .flatMap(queue -> queue.after(other.head()))
        .or(() -> firstBelow(priority, group, queues, now))
        .map(head -> new Turn(group, head));
  }

  private Optional<FairQueue.Head> firstBelow(
      Priority priority, Group group, EnumMap<Priority, FairQueue> queues, TimePoint now) {
    return queues.entrySet().stream()
        .filter(queue -> queue.getKey().compareTo(priority) > 0)
        .findFirst()
        .filter(queue -> !backlog.mustYield(group, queue.getKey()))
        .map(queue -> queue.getValue().first(now.epochMillis()));
  }

  /** Removes everything, so that the shared backlog no longer counts it. */
  public void clear() {
    groups.forEach(
        (group, queues) ->
            queues
                .values()
                .forEach(queue -> queue.forEach(waiting -> backlog.removed(group, waiting))));
    groups.clear();
  }
}
