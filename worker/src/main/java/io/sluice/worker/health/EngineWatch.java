package io.sluice.worker.health;

import io.sluice.fleet.EnginePace;
import io.sluice.worker.clock.Ticker;
import io.sluice.worker.engine.EngineCheck;
import io.sluice.worker.evict.Evictor;
import io.sluice.worker.evict.RunningRequest;
import io.sluice.worker.generation.EngineTally;
import io.sluice.worker.generation.StopReason;
import io.sluice.worker.intake.RunningGenerations;
import io.sluice.worker.limit.AdaptiveLimit;
import io.sluice.worker.limit.LimitWindow;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Acts on every probe of the engine. Updates the estimate of its pace and the adaptive limit,
 * evicts bulk requests, and stops requests that an engine which is down will not begin or continue.
 * {@link #probe} and {@link #probeAndIdentify} are for one thread, the rest for any.
 */
public final class EngineWatch {
  /** An engine that is down may still finish an answer, but not after such a pause. */
  private static final Duration SILENT = Duration.ofSeconds(1);

  /** An engine that streams an answer for this long serves it well. */
  private static final Duration WELL = Duration.ofSeconds(1);

  private static final Logger log = LoggerFactory.getLogger(EngineWatch.class);

  private final EngineMonitor monitor;
  private final RunningGenerations running;
  private final EngineTally tally;
  private final AdaptiveLimit limit;
  private final Ticker ticker;
  private final Consumer<EngineSample> samples;
  private final Evictor evictor = new Evictor();
  private PaceEstimate estimate = new PaceEstimate();
  private EngineTotals lastOfEngine = EngineTotals.UNKNOWN;
  private EngineTotals lastOwn;
  private long lastNanos;
  private int lastInFlight;
  private long lastLife;
  private volatile double prefillTokensPerSecond;
  private volatile double stepMillis;

  /**
   * A watch without a probe.
   *
   * @param samples gets what the engine did, after every probe that finds it up
   */
  public EngineWatch(
      EngineMonitor monitor,
      RunningGenerations running,
      EngineTally tally,
      AdaptiveLimit limit,
      Ticker ticker,
      Consumer<EngineSample> samples) {
    this.monitor = monitor;
    this.running = running;
    this.tally = tally;
    this.limit = limit;
    this.ticker = ticker;
    this.samples = samples;
    this.lastOwn = EngineTotals.of(tally);
    this.lastNanos = ticker.nanos();
  }

  /** Probes the engine, acts on the result and returns it; takes at most some seconds. */
  public EngineState probe() throws InterruptedException {
    monitor.probe();
    return act();
  }

  /** Returns the same, and identifies the engine. */
  public EngineState probeAndIdentify() throws InterruptedException {
    monitor.probeAndIdentify();
    return act();
  }

  private EngineState act() {
    EngineState state = monitor.state();
    EngineTotals added = added(state.totals());
    Duration elapsed = ticker.since(lastNanos);
    lastNanos = ticker.nanos();
    if (!state.up()) {
      running.stop(
          generation -> generation.isSilentFor(SILENT),
          state.condition() == EngineCheck.Condition.DEAD
              ? StopReason.ENGINE_DEAD
              : StopReason.ENGINE_AWAY);
      return state;
    }
    if (state.life() != lastLife) {
      lastLife = state.life();
      limit.engineReplaced();
      estimate = new PaceEstimate();
    }
    int inFlight = running.count();
    estimate.observe(added, elapsed, inFlight > 0 || lastInFlight > 0);
    prefillTokensPerSecond = estimate.prefillTokensPerSecond();
    stepMillis = estimate.stepMillis();
    limit.observe(
        new LimitWindow(
            inFlight,
            state.waiting(),
            added.interTokenMillis(),
            state.kvUsage(),
            (long) added.orZero(EngineCount.PREEMPTIONS),
            added.orZero(EngineCount.INTER_TOKENS),
            added.orZero(EngineCount.FIRST_TOKENS)));
    lastInFlight = inFlight;
    samples.accept(
        new EngineSample(
            state.life(),
            added,
            elapsed,
            Math.max(inFlight, state.running() + state.waiting()),
            running.contextTokens(),
            state.waiting(),
            state.kvUsage()));
    makeRoom(state);
    return state;
  }

  private void makeRoom(EngineState state) {
    List<RunningRequest> leaving =
        evictor.choose(running.runningRequests(), state.kvUsage(), limit.limit(), ticker.nanos());
    if (!leaving.isEmpty()) {
      log.info(
          "event=bulk_evicted requests={} running={} slots={} kv_usage={}",
          leaving.size(),
          running.count(),
          limit.limit(),
          state.kvUsage().orElse(Double.NaN));
      leaving.forEach(request -> running.stop(request.lease(), StopReason.EVICTED));
    }
  }

  /** Returns the number of the engine process that was probed last. */
  public long life() {
    return monitor.state().life();
  }

  /** Returns the engine's pace, and its backlog of prompt tokens. */
  public EnginePace pace() {
    return new EnginePace(prefillTokensPerSecond, stepMillis, running.waitingPromptTokens());
  }

  /** Returns the leases whose answers the engine streams well now. */
  public Set<String> streaming() {
    return running.streamingFor(WELL);
  }

  private EngineTotals added(EngineTotals ofEngine) {
    EngineTotals own = EngineTotals.of(tally);
    EngineTotals added = ofEngine.since(lastOfEngine).or(own.since(lastOwn));
    lastOfEngine = ofEngine;
    lastOwn = own;
    return added;
  }
}
