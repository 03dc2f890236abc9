package io.sluice.router.schedule.task;

import io.sluice.common.protocol.Priority;
import io.sluice.router.fleet.FleetSnapshot;
import io.sluice.router.fleet.WorkerView;
import io.sluice.router.policy.Decision;
import io.sluice.router.policy.PrefixWait;
import io.sluice.router.queue.Backlog;
import io.sluice.router.request.RequestMetadata;
import io.sluice.router.request.TimePoint;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Requests of one task that could be dispatched and wait instead for a worker that has more of
 * their prompt cached. Each waits for a limited time, counted from its first such wait. The number
 * that wait at once is limited, so that those behind them are always reached. Bulk does not wait,
 * because it only uses room that no other request needs. Not thread-safe.
 */
public final class PrefixWaits {
  /** Bounds how many requests are passed to find one that takes the room. */
  private static final int MOST = 32;

  /** A request that would be in time now is dispatched before this much of its time is left. */
  private static final double MARGIN_MILLIS = 50;

  /** For so long a decision to wait holds while its worker has no slot: a heartbeat. */
  private static final Duration DECIDED_FOR = NoRoomCache.RETRY_INTERVAL;

  private final Backlog backlog;
  private final Map<String, Wait> byRequest = new HashMap<>();
  private int waiting;

  /** What a request waits for, or waited for. */
  public static final class Wait {
    private final RequestMetadata metadata;
    private final long sinceNanos;
    private String worker = "";
    private long untilMillis;
    private long untilNanos;
    private long decidedNanos;
    private boolean isWaiting;
    private long waitedNanos;

    private Wait(RequestMetadata metadata, long sinceNanos) {
      this.metadata = metadata;
      this.sinceNanos = sinceNanos;
    }

    /** Returns the worker that has its prompt cached. */
    public String worker() {
      return worker;
    }

    /** Returns when it has to be tried again at the latest, in epoch milliseconds. */
    public long untilMillis() {
      return untilMillis;
    }
  }

  PrefixWaits(Backlog backlog) {
    this.backlog = backlog;
  }

  /**
   * Decides whether a request waits rather than go to the chosen worker. It never waits for longer
   * than half of the time to its deadline, and not if its first token would be late for that.
   *
   * @param firstTokenByMillis when its first token has to be there, in epoch milliseconds; empty if
   *     that does not matter
   */
  public boolean waits(
      RequestMetadata metadata, Decision decision, OptionalLong firstTokenByMillis, TimePoint now) {
    Wait known = byRequest.get(metadata.requestId());
    double leftMillis = firstTokenByMillis.orElse(Long.MAX_VALUE) - now.epochMillis();
    double spareMillis = leftMillis - decision.millisToFirstToken();
    boolean isOneMore = known == null || !known.isWaiting;
    Optional<PrefixWait> worthwhile =
        metadata.priority() == Priority.BULK || (isOneMore && waiting >= MOST)
            ? Optional.empty()
            : decision
                .prefixWait()
                .filter(wait -> wait.millisToFirstToken() <= leftMillis)
                .filter(wait -> spareMillis < 0 || spareMillis > MARGIN_MILLIS);
    if (worthwhile.isEmpty()) {
      pause(known, now);
      return false;
    }
    Wait wait =
        byRequest.computeIfAbsent(metadata.requestId(), any -> new Wait(metadata, now.nanos()));
    double pastMillis = (now.nanos() - wait.sinceNanos) / 1e6;
    double mostMillis =
        Math.min(worthwhile.get().mostMillis(), (metadata.remainingMillis(now) + pastMillis) / 2);
    double moreMillis = mostMillis - pastMillis;
    if (moreMillis <= 0) {
      pause(wait, now);
      return false;
    }
    wait.worker = worthwhile.get().worker();
    wait.decidedNanos = now.nanos();
    double untilInMillis =
        spareMillis < 0 ? moreMillis : Math.min(moreMillis, spareMillis - MARGIN_MILLIS);
    wait.untilMillis = now.epochMillis() + (long) Math.ceil(untilInMillis);
    wait.untilNanos = now.nanos() + Math.round(untilInMillis * 1e6);
    go(wait, now);
    return true;
  }

  private void go(Wait wait, TimePoint now) {
    if (!wait.isWaiting) {
      wait.isWaiting = true;
      wait.waitedNanos -= now.nanos();
      waiting++;
      backlog.standsAside(wait.metadata);
    }
  }

  private void pause(@Nullable Wait wait, TimePoint now) {
    if (wait != null && wait.isWaiting) {
      wait.waitedNanos += Math.min(now.nanos(), wait.untilNanos);
      stop(wait);
    }
  }

  private void stop(Wait wait) {
    wait.isWaiting = false;
    waiting--;
    backlog.standsAsideNoMore(wait.metadata);
  }

  /**
   * Returns the wait of a request that need not be decided again yet, because its worker still has
   * no slot.
   *
   * @param hasSlot whether a worker has a free one
   */
  public Optional<Wait> goingOn(
      String requestId, FleetSnapshot fleet, Predicate<WorkerView> hasSlot, TimePoint now) {
    return Optional.ofNullable(byRequest.get(requestId))
        .filter(
            wait ->
                wait.isWaiting
                    && now.nanos() < wait.untilNanos
                    && now.nanos() - wait.decidedNanos < DECIDED_FOR.toNanos()
                    && fleet
                        .worker(wait.worker)
                        .filter(view -> view.snapshot().accepting() && !hasSlot.test(view))
                        .isPresent());
  }

  /** Returns what a request waits for that was just decided to wait. */
  public Wait of(String requestId) {
    return Objects.requireNonNull(byRequest.get(requestId));
  }

  /** Returns whether a request waits although it could be dispatched. */
  public boolean isWaiting(String requestId, TimePoint now) {
    Wait wait = byRequest.get(requestId);
    return wait != null && wait.isWaiting && now.nanos() < wait.untilNanos;
  }

  /** For how long a request has waited although it could be dispatched, in milliseconds. */
  long waitedMillis(String requestId, TimePoint now) {
    Wait wait = byRequest.get(requestId);
    if (wait == null) {
      return 0;
    }
    long running = wait.isWaiting ? Math.min(now.nanos(), wait.untilNanos) : 0;
    return (wait.waitedNanos + running) / 1_000_000;
  }

  /** The request no longer waits for a worker. */
  public void forget(String requestId) {
    Wait wait = byRequest.remove(requestId);
    if (wait != null && wait.isWaiting) {
      stop(wait);
    }
  }

  /** Forgets all requests. */
  void clear() {
    Set.copyOf(byRequest.keySet()).forEach(this::forget);
  }
}
