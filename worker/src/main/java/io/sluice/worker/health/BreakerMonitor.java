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
 * The worker's own breaker. Evidence counts at once, whether or not Redis is there; then it is
 * written through, one call at a time, and what comes back, with the word of routers and operators,
 * counts from then on. After every look the worker says what it knows, so that a Redis that was
 * emptied hears of it again. Thread-safe; never blocks.
 */
public final class BreakerMonitor {
  private static final Logger log = LoggerFactory.getLogger(BreakerMonitor.class);

  private final String workerId;
  private final FleetRegistry registry;
  private final Clock clock;

  /** What Redis is known to have, or should have. */
  private BreakerState base = BreakerState.NEW;

  /** What changed since, in order; its result on top of {@link #base} is {@link #state}. */
  private final List<BreakerEvent.Timed> unsent = new ArrayList<>();

  /** To be told before all else, as it came before. */
  private final BreakerEvent.Timed start;

  private boolean isStartTold;

  /** Whether the registry has told what it has, or cannot for now. */
  private volatile boolean isAnswered;

  /** Leases that are no probe, or one that has succeeded already, though it goes on. */
  private final Set<String> judged = new HashSet<>();

  private boolean isSending;
  private boolean hasBeenUp;
  private long life;
  private volatile BreakerState state = BreakerState.NEW;

  /** A breaker of which nothing is known yet; what was known of an earlier process is old. */
  public BreakerMonitor(String workerId, FleetRegistry registry, Clock clock) {
    this.workerId = workerId;
    this.registry = registry;
    this.clock = clock;
    this.start = new BreakerEvent.Timed(new BreakerEvent.WorkerStarted(), clock.millis());
  }

  /** Its state now. */
  public BreakerState state() {
    return state;
  }

  /**
   * What it lets through now. Until it is known what an earlier process left, no more than a
   * half-open breaker does: routers may hear of that, and send probes, before this worker does.
   */
  public BreakerPhase phase() {
    BreakerPhase known = state.phase();
    return !isAnswered && known == BreakerPhase.CLOSED ? BreakerPhase.HALF_OPEN : known;
  }

  /**
   * The engine was looked at; to be called after every look.
   *
   * @param streaming leases whose answers it streams well: a probe succeeds by that, for its end
   *     may be far away
   */
  public synchronized void probed(EngineState engine, Set<String> streaming) {
    probesStream(streaming);
    apply(new BreakerEvent.Ticked());
    if (engine.up()) {
      if (hasBeenUp && engine.life() != life) {
        // However fast another one came: this one knows nothing of what was held against that.
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

  /** A generation of this worker's has come to something. */
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
   * What streamed before the circuit was half open proves nothing of what is new; but where so many
   * stream on that no probe finds room beside them, they have to do.
   */
  private void probesStream(Set<String> streaming) {
    if (isProbed()) {
      boolean leaveNoRoom = !BreakerPhase.HALF_OPEN.admitsBeside(streaming.size());
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

  /** Redis may be away for hours: what it should have is then told as a whole, not step by step. */
  private synchronized void failed(Throwable failure) {
    isSending = false;
    base = state;
    unsent.clear();
    isAnswered = true;
    log.debug("event=breaker_not_written worker={} reason=\"{}\"", workerId, failure.getMessage());
  }
}
