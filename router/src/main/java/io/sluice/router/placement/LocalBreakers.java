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
 * Breakers from what this router process has seen of the workers itself, by the same rules as the
 * shared breakers ({@link Breaker}). With them it avoids a bad worker even while Redis is away.
 * Failed attempts count as they do at the worker. A worker that does not accept an assignment is
 * avoided at once, until it reports anything. Thread-safe; never blocks.
 */
public final class LocalBreakers {
  /** The maximum number of known worker lives. If there are more, most of them are over. */
  private static final int MOST_KNOWN = 4_096;

  /** A worker that restarts has no history. */
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
   * Creates breakers without any observation.
   *
   * @param tripped receives a worker that other routers should avoid as well; must not block
   */
  public LocalBreakers(Consumer<String> tripped) {
    this.tripped = tripped;
  }

  /**
   * Returns whether most workers are unresponsive to this router. In that case none of them is
   * avoided for it.
   */
  public boolean areMostUnresponsive(Collection<WorkerView> workers) {
    // Half of the workers at most are known here at all.
    if (2 * lives.size() <= workers.size()) {
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
   * Returns whether a worker may be sent something, according to this router's own observations.
   *
   * @param leases the leases of this router at the worker
   * @param areMostUnresponsive the result of {@link #areMostUnresponsive}
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
        || seen.breaker().phase().admitsWith(leases);
  }

  /**
   * A worker did not accept a lease.
   *
   * @param isEvidence whether other routers should learn of it. It is not evidence if the worker is
   *     dead, which everybody learns anyway, or if most workers are unresponsive, because then the
   *     connection is the likely cause.
   */
  public void unanswered(LeaseRef lease, boolean isEvidence, TimePoint now) {
    boolean opened = apply(Life.of(lease), new BreakerEvent.Tripped(), true, now);
    // One late acceptance may be caused by the broker or this machine. Others learn only of the
    // second one.
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
      // The end of a probe may be far away. The worker itself judges more closely.
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

  /** Returns whether the breaker opened. */
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
