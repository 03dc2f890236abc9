package io.sluice.router.queue;

import io.sluice.common.protocol.Priority;
import io.sluice.router.demand.DemandKey;
import io.sluice.router.demand.DemandMeter;
import io.sluice.router.queue.PendingQueue.Group;
import io.sluice.router.queue.PendingQueue.Waiting;
import io.sluice.router.request.RequestMetadata;
import io.sluice.router.request.TimePoint;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.function.DoubleSupplier;

/**
 * The waiting requests of all tasks of this router process. It limits them, estimates how long one
 * more request would wait, shares turns among tenants, keeps bulk behind interactive requests of
 * the same kind across tasks, and tells the bulk feeder how much bulk is waiting. Thread-safe.
 */
public final class Backlog {
  /** Long enough that no request is refused. */
  private static final Duration NO_LIMIT = Duration.ofDays(365);

  private final BacklogBound bound;
  private final Duration maxWait;
  private final BulkCounts bulk = new BulkCounts();
  private final Counts<Kind> preferred = new Counts<>();
  private final Counts<Kind> aside = new Counts<>();
  private final TenantShares shares = new TenantShares();
  private final ConcurrentMap<Place, Waits> waits = new ConcurrentHashMap<>();
  private final WaitingLines lines = new WaitingLines();
  private final DemandMeter demand = new DemandMeter();
  private final WaitEstimate estimate = new WaitEstimate();
  private final ServingActivity served;

  /** Requests among which bulk yields to the others. */
  private record Kind(String model, String lane, List<String> tiers) {
    static Kind of(Group group) {
      return new Kind(group.model(), group.lane(), group.tiers());
    }
  }

  private record Place(String lane, Priority priority) {}

  /** How much is waiting. */
  public record Waits(int requests, long tokens) {
    static final Waits NOTHING = new Waits(0, 0);

    Waits plus(int moreRequests, long moreTokens) {
      return new Waits(requests + moreRequests, tokens + moreTokens);
    }
  }

  /**
   * The limits beyond which new requests are refused, whatever their priority.
   *
   * @param requests the number of requests
   * @param bytes the heap that they take together
   */
  public record Limits(int requests, long bytes) {
    /** Returns a limit on the number only. */
    public static Limits ofRequests(int requests) {
      return new Limits(requests, Long.MAX_VALUE);
    }

    /** Returns a share of the limits. */
    Limits times(double share) {
      return share == 1
          ? this
          : new Limits((int) Math.ceil(requests * share), (long) (bytes * share));
    }
  }

  /** Creates an empty backlog without a limit on the waiting time. */
  public Backlog(Limits limits) {
    this(limits, NO_LIMIT, () -> 1);
  }

  /**
   * Creates an empty backlog.
   *
   * @param limits the limits beyond which new requests are refused
   * @param maxWait the longest time that an interactive request may wait, or be expected to wait,
   *     while others of its kind are served
   * @param startedShare the tasks of this process that have started, as a share of all; the others
   *     count as full
   */
  public Backlog(Limits limits, Duration maxWait, DoubleSupplier startedShare) {
    this.bound = new BacklogBound(limits, startedShare);
    this.maxWait = maxWait;
    this.served = new ServingActivity(maxWait);
  }

  /**
   * Returns the longest time that an interactive request may wait while others of its kind are
   * served.
   */
  public Duration maxWait() {
    return maxWait;
  }

  /** Returns the number of waiting requests. */
  public int pending() {
    return bound.requests();
  }

  /** Returns an upper bound of the heap that they take. */
  public long pendingBytes() {
    return bound.bytes();
  }

  /** Returns the number of waiting bulk requests. */
  public int pendingBulk() {
    return bulk.waiting();
  }

  /**
   * Returns the number of bulk requests of each size that wait or are on their way into a lane of
   * this router. Sizes without any are left out.
   */
  public Map<BulkSize, Integer> bulkBySize(long nowNanos) {
    return bulk.bySize(nowNanos);
  }

  /** A bulk request was put into a lane of this router. It counts as waiting from now on. */
  public void entering(String requestId, BulkSize size, long nowNanos) {
    bulk.entering(requestId, size, nowNanos);
  }

  /** A request has arrived from its lane, or was not put into it. */
  public void arrived(String requestId) {
    bulk.arrived(requestId);
  }

  /** Returns how much waits in a lane at a priority. Tokens are prompt and output together. */
  public Waits waiting(String lane, Priority priority) {
    return waits.getOrDefault(new Place(lane, priority), Waits.NOTHING);
  }

  /** Returns the demand of the waiting requests, by model, tier and kind of traffic. */
  public DemandMeter demand() {
    return demand;
  }

  /** Returns whether new requests are refused. */
  public boolean isFull() {
    return bound.isReached();
  }

  /** Returns whether one more request would exceed the limits. A single request always fits. */
  public boolean isFullFor(RequestMetadata metadata) {
    return bound.isExceededBy(metadata.heapBytes());
  }

  /**
   * Returns by how much a new request would wait too long: beyond its deadline or beyond the
   * maximum wait. Empty if it would not, or if that is not known. Only requests for the same
   * workers count. A request for which no other waits is never refused, and a bulk request may
   * always wait.
   */
  public Optional<Duration> waitsTooLong(RequestMetadata metadata, TimePoint now) {
    if (metadata.priority() == Priority.BULK) {
      return Optional.empty();
    }
    RequestKind kind = RequestKind.of(Group.of(metadata));
    long tokensBefore = lines.tokensBefore(kind, metadata);
    if (tokensBefore == 0) {
      return Optional.empty();
    }
    Duration left = Duration.ofMillis(metadata.deadlineEpochMillis() - now.epochMillis());
    Duration most = left.compareTo(maxWait) < 0 ? left : maxWait;
    return estimate
        .wait(kind, tokensBefore, now.nanos())
        .map(wait -> wait.minus(most))
        .filter(Duration::isPositive);
  }

  /**
   * Returns whether a request has waited for the maximum time, counted from its arrival or from the
   * last pause in serving its kind. Its kind is served while requests of it are dispatched for the
   * first time and others are answered.
   */
  public boolean hasWaitedTooLong(RequestKind kind, long sinceNanos, TimePoint now) {
    return served.hasWaitedTooLong(kind, sinceNanos, now);
  }

  /**
   * Returns whether a request of a model was dispatched for the first time within the last 10 s.
   */
  public boolean wasSentLately(String model, TimePoint now) {
    return served.wasSentLately(model, now);
  }

  /**
   * A request was answered. Updates the estimate of waiting times. Waiting bulk does not count as
   * load, because it is admitted only as there is room. Requests that wait by choice do not count.
   */
  public void answered(RequestMetadata metadata, TimePoint now) {
    RequestKind kind = RequestKind.of(Group.of(metadata));
    estimate.answered(kind, metadata.contextTokens(), lines.hasOthersThanAside(kind), now.nanos());
    served.answered(kind, now);
  }

  /** Returns whether a request of this priority must yield to others of its kind. */
  boolean mustYield(Group group, Priority priority) {
    Kind kind = Kind.of(group);
    return priority == Priority.BULK && preferred.of(kind) > aside.of(kind);
  }

  /** In which order tenants are served. */
  public TenantShares shares() {
    return shares;
  }

  /**
   * A waiting request is dispatched for the first time. Returns the tokens that its tenant is
   * charged.
   */
  public long served(RequestMetadata metadata, TimePoint now) {
    served.sent(RequestKind.of(metadata), now);
    return shares.charge(metadata);
  }

  /** A waiting request could be dispatched, but waits by choice. Others may go before it. */
  public void standsAside(RequestMetadata metadata) {
    standsAside(metadata, 1);
  }

  /** A request no longer waits by choice. */
  public void standsAsideNoMore(RequestMetadata metadata) {
    standsAside(metadata, -1);
  }

  private void standsAside(RequestMetadata metadata, int by) {
    aside.add(Kind.of(Group.of(metadata)), by);
    lines.standsAside(metadata, by);
  }

  void added(RequestMetadata metadata) {
    Waiting waiting = Waiting.of(metadata);
    shares.enter(metadata.model(), waiting.priority(), waiting.tenant());
    Group group = Group.of(metadata);
    lines.enter(group, waiting);
    demand.add(demandKey(group, waiting), waiting.contextTokens(), waiting.deadlineEpochMillis());
    count(group, waiting, 1);
  }

  void removed(RequestMetadata metadata) {
    removed(Group.of(metadata), Waiting.of(metadata));
  }

  void removed(Group group, Waiting waiting) {
    shares.leave(group.model(), waiting.priority(), waiting.tenant());
    lines.leave(group, waiting);
    demand.remove(
        demandKey(group, waiting), waiting.contextTokens(), waiting.deadlineEpochMillis());
    count(group, waiting, -1);
  }

  private static DemandKey demandKey(Group group, Waiting waiting) {
    return DemandKey.of(group.model(), group.tiers(), waiting.priority());
  }

  private void count(Group group, Waiting waiting, int by) {
    bound.count(by, by * waiting.heapBytes());
    waits.merge(
        new Place(group.lane(), waiting.priority()),
        Waits.NOTHING.plus(by, by * waiting.contextTokens()),
        (known, more) -> known.plus(more.requests(), more.tokens()));
    if (waiting.priority() == Priority.BULK) {
      bulk.add(new BulkSize(RequestKind.of(group), waiting.contextTokens()), by);
    } else {
      preferred.add(Kind.of(group), by);
    }
  }
}
