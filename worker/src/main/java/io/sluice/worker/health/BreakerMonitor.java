package io.sluice.worker.health;

import io.sluice.common.protocol.Outcome;
import io.sluice.fleet.FleetRegistry;
import io.sluice.fleet.breaker.Breaker;
import io.sluice.fleet.breaker.BreakerEvent;
import io.sluice.fleet.breaker.BreakerPhase;
import io.sluice.fleet.breaker.BreakerState;
import java.time.Clock;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The worker's own circuit breaker. Evidence counts at once, even if Redis is not available. It is
 * then written to Redis, one call at a time. The returned state includes the events of routers and
 * operators, and counts from then on. The state is written again after every probe, so that Redis
 * gets it back after a data loss. Thread-safe; never blocks.
 */
public final class BreakerMonitor {
  private static final Logger log = LoggerFactory.getLogger(BreakerMonitor.class);

  private final String workerId;
  private final FleetRegistry registry;
  private final Clock clock;

  /** The state that Redis has, or should have. */
  private BreakerState base = BreakerState.NEW;

  /** The events since then, in order; applied to {@link #base} they give {@link #state}. */
  private final List<BreakerEvent.Timed> unsent = new ArrayList<>();

  /** Sent before all other events, because it happened before them. */
  private final BreakerEvent.Timed start;

  private boolean isStartTold;

  /** Whether the registry has answered once, or has failed to. */
  private volatile boolean isAnswered;

  /** Leases that are not probes, or probes that have succeeded already and are still running. */
  private final Set<String> judged = new HashSet<>();

  private boolean isSending;
  private boolean hasBeenUp;
  private long life;
  private volatile BreakerState state = BreakerState.NEW;

  /** A breaker without known state. The state of an earlier process counts as old. */
  public BreakerMonitor(String workerId, FleetRegistry registry, Clock clock) {
    this.workerId = workerId;
    this.registry = registry;
    this.clock = clock;
    this.start = new BreakerEvent.Timed(new BreakerEvent.WorkerStarted(), clock.millis());
  }

  /** Returns the present state. */
  BreakerState state() {
    return state;
  }

  /**
   * Returns the present phase. Until the state of an earlier process is known, it is half-open at
   * best. Routers may learn of that state, and send probes, before this worker does.
   */
  public BreakerPhase phase() {
    BreakerPhase known = state.phase();
    return !isAnswered && known == BreakerPhase.CLOSED ? BreakerPhase.HALF_OPEN : known;
  }

  /**
   * Must be called after every probe of the engine.
   *
   * @param streaming leases whose answers the engine streams well; a request that is a probe of the
   *     breaker succeeds by that, because its end may be far away
   */
  public synchronized void probed(EngineState engine, Set<String> streaming) {
    probesStream(streaming);
    apply(new BreakerEvent.Ticked());
    if (engine.up()) {
      if (hasBeenUp && engine.life() != life) {
        // The new engine process may have come between two probes. It is not to blame for what the
        // old one did.
        apply(new BreakerEvent.EngineDown());
      }
      hasBeenUp = true;
      life = engine.life();
      apply(new BreakerEvent.EngineUp());
      engine.kvUsage().ifPresent(usage -> apply(new BreakerEvent.Usage(usage)));
    } else if (hasBeenUp) {
      apply(new BreakerEvent.EngineDown());
    }
    send();
  }

  /** A generation of this worker has an outcome. */
  public synchronized void outcome(Outcome outcome) {
    switch (outcome.event()) {
      case Outcome.Failed failed when failed.blamesEngine() -> apply(new BreakerEvent.Failed());
      case Outcome.Completed ignored when !isProbed() || judged.add(outcome.lease().lease()) ->
          apply(new BreakerEvent.Succeeded());
      default -> {}
    }
    if (!unsent.isEmpty()) {
      send();
    }
  }

  /**
   * Answers that streamed before the breaker was half-open prove nothing about new requests. But if
   * so many continue that no probe has room, they count.
   */
  private void probesStream(Set<String> streaming) {
    if (isProbed()) {
      boolean leaveNoRoom = !BreakerPhase.HALF_OPEN.admitsWith(streaming.size());
      streaming.stream()
          .filter(lease -> judged.add(lease) || leaveNoRoom)
          .forEach(probe -> apply(new BreakerEvent.Succeeded()));
    } else {
      judged.clear();
      judged.addAll(streaming);
    }
  }

  private boolean isProbed() {
    return state.circuit().phase() == BreakerPhase.HALF_OPEN;
  }

  private void apply(BreakerEvent event) {
    long now = clock.millis();
    BreakerState next = Breaker.next(state, event, now);
    if (next.epoch() != state.epoch()) {
      unsent.add(new BreakerEvent.Timed(event, now));
      become(next);
    }
  }

  private void become(BreakerState next) {
    BreakerState before = state;
    state = next;
    if (before.phase() != next.phase()) {
      log.warn(
          "event=breaker_changed worker={} from={} to={} causes={}",
          workerId,
          before.phase(),
          next.phase(),
          next.causes());
    }
  }

  private void send() {
    if (isSending) {
      return;
    }
    isSending = true;
    int count = unsent.size();
    List<BreakerEvent.Timed> sent = new ArrayList<>();
    if (!isStartTold) {
      sent.add(start);
    }
    sent.add(new BreakerEvent.Timed(new BreakerEvent.Restored(base), clock.millis()));
    sent.addAll(unsent);
    try {
      var _ =
          registry
              .applyToBreaker(workerId, sent)
              .whenComplete(
                  (known, failure) -> {
                    if (failure == null) {
                      written(known, count);
                    } else {
                      failed(failure);
                    }
                  });
    } catch (RuntimeException e) {
      failed(e);
    }
  }

  private synchronized void written(BreakerState known, int count) {
    isSending = false;
    isStartTold = true;
    base = known;
    unsent.subList(0, count).clear();
    become(Breaker.next(base, unsent));
    isAnswered = true;
    if (!unsent.isEmpty()) {
      send();
    }
  }

  /** Redis may be unavailable for hours. It then gets the whole state instead of every step. */
  private synchronized void failed(Throwable failure) {
    isSending = false;
    base = state;
    unsent.clear();
    isAnswered = true;
    log.debug("event=breaker_not_written worker={} reason=\"{}\"", workerId, failure.getMessage());
  }
}
