package io.sluice.router.placement;

import io.sluice.common.protocol.LeaseRef;
import io.sluice.common.protocol.Outcome;
import io.sluice.fleet.WorkerSnapshot;
import io.sluice.fleet.breaker.Breaker;
import io.sluice.fleet.breaker.BreakerEvent;
import io.sluice.fleet.breaker.BreakerPhase;
import io.sluice.fleet.breaker.BreakerState;
import io.sluice.router.fleet.WorkerView;
import io.sluice.router.request.TimePoint;
import java.util.Collection;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.function.Consumer;

/**
 * What this router process has seen of the workers itself, by the same table as the shared breakers
 * ({@link Breaker}), so that it avoids a bad worker also while Redis is away. Failed attempts count
 * as they do at the worker. A worker that does not even accept what it is sent is avoided from the
 * first time on, until it says anything at all. Thread-safe; never blocks.
 */
public final class LocalBreakers {
  /** So many lives of workers are none that still count. */
  private static final int MOST_KNOWN = 4_096;

  /** A worker that begins anew begins without a past. */
  private record Life(String worker, String incarnation) {
    static Life of(WorkerSnapshot worker) {
      return new Life(worker.id(), worker.incarnation());
    }

    static Life of(LeaseRef lease) {
      return new Life(lease.worker(), lease.incarnation());
    }
  }

  private record Seen(BreakerState breaker, boolean unresponsive) {
    static final Seen NOTHING = new Seen(BreakerState.NEW, false);

    Seen after(BreakerEvent event, TimePoint now) {
      return new Seen(Breaker.next(breaker, event, now.epochMillis()), unresponsive);
    }
  }

  private final ConcurrentMap<Life, Seen> lives = new ConcurrentHashMap<>();
  private final Consumer<String> tripped;

  /**
   * Nothing has been seen yet.
   *
   * @param tripped hears of a worker that others should avoid as well; must not block
   */
  public LocalBreakers(Consumer<String> tripped) {
    this.tripped = tripped;
  }

  /** Whether most of the workers are mute to this router: then none of them is avoided for it. */
  public boolean areMostUnresponsive(Collection<WorkerView> workers) {
    if (lives.isEmpty()) {
      return false;
    }
    long unresponsive =
        workers.stream()
            .map(view -> lives.get(Life.of(view.snapshot())))
            .filter(seen -> seen != null && seen.unresponsive())
            .count();
    return 2 * unresponsive > workers.size();
  }

  /**
   * Whether a worker may be sent something, by this router's own evidence.
   *
   * @param leases that this router has there
   * @param areMostUnresponsive as {@link #areMostUnresponsive} says
   */
  boolean admits(WorkerSnapshot worker, int leases, boolean areMostUnresponsive, TimePoint now) {
    if (lives.isEmpty()) {
      return true;
    }
    Seen seen =
        lives.computeIfPresent(
            Life.of(worker), (life, known) -> known.after(new BreakerEvent.Ticked(), now));
    return seen == null
        || (seen.unresponsive() && areMostUnresponsive)
        || seen.breaker().phase().admitsBeside(leases);
  }

  /**
   * A worker did not accept a lease.
   *
   * @param isEvidence whether others should hear of it: not of a worker that is dead, of which
   *     everybody hears anyway, nor when most are mute, which is rather the way there
   */
  public void unanswered(LeaseRef lease, boolean isEvidence, TimePoint now) {
    boolean opened = apply(Life.of(lease), new BreakerEvent.Tripped(), true, now);
    // One late acceptance may be the broker's or this machine's: others hear of a second one only.
    Seen seen = lives.get(Life.of(lease));
    boolean isRelapse = seen != null && seen.breaker().circuit().trips() > 1;
    if (opened && isEvidence && isRelapse) {
      tripped.accept(lease.worker());
    }
  }

  /** A worker has reported. */
  public void heard(Outcome outcome, TimePoint now) {
    Life life = Life.of(outcome.lease());
    lives.computeIfPresent(life, (any, seen) -> seen.unresponsive() ? null : seen);
    switch (outcome.event()) {
      case Outcome.Failed failed when failed.blamesEngine() -> {
        if (apply(life, new BreakerEvent.Failed(), false, now)) {
          tripped.accept(life.worker());
        }
      }
      // A probe's end may be far away; its worker judges more closely.
      case Outcome.Started ignored ->
          lives.computeIfPresent(
              life,
              (any, seen) ->
                  seen.breaker().phase() == BreakerPhase.HALF_OPEN
                      ? seen.after(new BreakerEvent.Succeeded(), now)
                      : seen);
      case Outcome.Completed ignored ->
          lives.computeIfPresent(
              life, (any, seen) -> seen.after(new BreakerEvent.Succeeded(), now));
      default -> {}
    }
  }

  /** Returns whether that opened it. */
  private boolean apply(Life life, BreakerEvent event, boolean unresponsive, TimePoint now) {
    if (lives.size() >= MOST_KNOWN) {
      lives.clear();
    }
    boolean[] opened = {false};
    lives.compute(
        life,
        (any, known) -> {
          Seen before = known == null ? Seen.NOTHING : known;
          Seen after = before.after(event, now);
          opened[0] = before.breaker().phase() != BreakerPhase.OPEN && isOpen(after);
          return new Seen(after.breaker(), unresponsive || after.unresponsive());
        });
    return opened[0];
  }

  private static boolean isOpen(Seen seen) {
    return seen.breaker().phase() == BreakerPhase.OPEN;
  }
}
