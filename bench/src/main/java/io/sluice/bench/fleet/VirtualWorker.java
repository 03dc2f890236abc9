package io.sluice.bench.fleet;

import io.sluice.common.protocol.LeaseRef;
import io.sluice.common.protocol.Outcome;
import io.sluice.fleet.EnginePace;
import io.sluice.fleet.EngineTraits;
import io.sluice.fleet.WorkerSnapshot;
import io.sluice.fleet.WorkerSnapshotBuilder;
import io.sluice.simulator.engine.EngineStats;
import io.sluice.simulator.engine.LiveSequence;
import io.sluice.worker.evict.Evictor;
import io.sluice.worker.evict.RunningRequest;
import io.sluice.worker.health.EngineCount;
import io.sluice.worker.health.EngineTotals;
import io.sluice.worker.health.PaceEstimate;
import io.sluice.worker.limit.AdaptiveLimit;
import io.sluice.worker.limit.LimitWindow;
import io.sluice.worker.limit.Ramp;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.function.IntSupplier;

/**
 * A worker with one engine in virtual time. It takes assignments up to its limit, reports outcomes,
 * reads the engine's metrics twice a second and sends heartbeats four times a second. The worker's
 * own {@link AdaptiveLimit} and {@link PaceEstimate} evaluate the metrics.
 */
final class VirtualWorker {
  private static final String INCARNATION = "first";
  private static final Duration HEARTBEAT = Duration.ofMillis(250);
  private static final Duration SCRAPE = Duration.ofMillis(500);
  private static final Duration PROGRESS = Duration.ofSeconds(2);
  private static final Duration SIGN_OFF = Duration.ofSeconds(1);

  private final int index;
  private final FleetRun run;
  private final SluiceFront router;
  private final EngineNode engine;
  private final Network.Channel topic;
  private final Network.Channel outcomes;
  private final Map<Integer, Held> held = new HashMap<>();
  private final AdaptiveLimit limit;
  private final PaceEstimate pace = new PaceEstimate();
  private final Counts counts = new Counts();
  private final Evictor evictor = new Evictor();
  private long sequence;
  private long contextTokens;
  private long waitingPromptTokens;
  private EngineStats stats;
  private EngineTotals lastTotals = new Counts().totals(0);
  private boolean wasBusy;
  private IntSupplier slots;
  private boolean isDraining;
  private boolean isUp = true;
  private boolean isGone;

  private static final class Held {
    private final LeaseRef lease;
    private final long sinceNanos;
    private final long promptTokens;
    private final FleetRequest request;
    private final int before;
    private final int evictions;
    private int outputTokens;
    private long lastTokenNanos;

    Held(LeaseRef lease, FleetRequest request, int before, int evictions, long nowNanos) {
      this.lease = lease;
      this.request = request;
      this.before = before;
      this.evictions = evictions;
      this.promptTokens = SluiceFront.estimatedTokens(request) + before;
      this.sinceNanos = nowNanos;
    }

    RunningRequest whileRunning() {
      return new RunningRequest(
          Integer.toString(request.id()),
          request.bulk(),
          true,
          sinceNanos,
          promptTokens + outputTokens,
          before + outputTokens,
          outputTokens,
          OptionalInt.of(request.outputTokens()),
          evictions);
    }
  }

  /** What the engine's metrics count. */
  private static final class Counts {
    private double prefillTokens;
    private double firstTokens;
    private double firstTokenSeconds;
    private double interTokens;
    private double interTokenSeconds;

    EngineTotals totals(long preemptions) {
      return new EngineTotals(
          Map.of(
              EngineCount.PREFILL_TOKENS, prefillTokens,
              EngineCount.FIRST_TOKENS, firstTokens,
              EngineCount.FIRST_TOKEN_SECONDS, firstTokenSeconds,
              EngineCount.INTER_TOKENS, interTokens,
              EngineCount.INTER_TOKEN_SECONDS, interTokenSeconds,
              EngineCount.PREEMPTIONS, (double) preemptions));
    }
  }

  VirtualWorker(int index, FleetRun run, SluiceFront router) {
    this.index = index;
    this.run = run;
    this.router = router;
    this.engine = run.engines().get(index);
    this.topic = run.network().channel();
    this.outcomes = run.network().channel();
    this.limit = AdaptiveLimit.upTo(engine.config().scheduling().maxNumSeqs());
    this.slots = limit::limit;
    this.stats = engine.stats();
    // Workers do not run in lockstep.
    long phase = Math.floorMod(Mix.next(index), HEARTBEAT.toNanos());
    long now = run.time().nowNanos();
    run.time().at(now, this::beat);
    every(now + phase, SCRAPE, this::scrape);
    every(now + phase, HEARTBEAT, this::beat);
    every(now + phase, PROGRESS, this::progress);
  }

  private void every(long atNanos, Duration period, Runnable action) {
    run.time()
        .at(
            atNanos,
            () -> {
              if (!isGone) {
                action.run();
                every(run.time().nowNanos() + period.toNanos(), period, action);
              }
            });
  }

  /** Takes nothing new from now on, and signs off when everything has ended. */
  void leave() {
    drain();
    // Until then, what was sent before the router knew has arrived and was returned.
    every(run.time().nowNanos() + SIGN_OFF.toNanos(), SIGN_OFF, this::signOff);
  }

  private void signOff() {
    if (held.isEmpty()) {
      isGone = true;
      router.left(id());
    }
  }

  boolean isGone() {
    return isGone;
  }

  private String id() {
    return "w" + index;
  }

  static int indexOf(String id) {
    return Integer.parseInt(id.substring(1));
  }

  /** The channel from the router to this worker. */
  Network.Channel topic() {
    return topic;
  }

  /**
   * Accepts or rejects an assignment.
   *
   * @param before how many tokens of its answer were generated by earlier attempts
   */
  void assigned(LeaseRef lease, FleetRequest request, int before, int evictions) {
    if (isDraining) {
      report(lease, new Outcome.Returned(Outcome.ReturnReason.DRAINING, 0));
      return;
    }
    if (held.size() >= slots.getAsInt() + slots.getAsInt() / 10) {
      report(lease, new Outcome.Returned(Outcome.ReturnReason.NO_SLOT, 0));
      return;
    }
    Held taken = new Held(lease, request, before, evictions, run.time().nowNanos());
    held.put(request.id(), taken);
    contextTokens += taken.promptTokens;
    waitingPromptTokens += taken.promptTokens;
    report(lease, new Outcome.Accepted());
    engine.submit(request, before);
  }

  /** Accepts nothing new. */
  void drain() {
    isDraining = true;
    beat();
  }

  /** Another engine process takes the engine's place; what runs is handed back. */
  void restart(Duration cold) {
    List.copyOf(held.values()).forEach(this::handBack);
    isUp = false;
    engine.restart(cold);
    limit.engineReplaced();
    beat();
  }

  private void handBack(Held known) {
    forget(known.request.id());
    report(known.lease, new Outcome.Returned(Outcome.ReturnReason.DRAINING, known.outputTokens));
  }

  /** Accepts requests again, at first an eighth of its limit. */
  void enter(Duration rampLength) {
    var ramp = new Ramp(limit::limit, rampLength, run.time()::nowNanos);
    ramp.begin();
    slots = ramp::limit;
    isUp = true;
    isDraining = false;
    beat();
  }

  void revoked(LeaseRef lease) {
    int request = Integer.parseInt(lease.requestId());
    Held known = held.get(request);
    if (known != null && known.lease.equals(lease)) {
      forget(request);
      engine.abort(request);
    }
  }

  /**
   * Called when the engine generates a token, which its metrics count from the start of the step.
   */
  void token(LiveSequence generated, long endNanos) {
    Held request = held.get((int) generated.request().id());
    if (request == null) {
      return;
    }
    if (request.outputTokens > 0) {
      counts.interTokens++;
      counts.interTokenSeconds += (endNanos - request.lastTokenNanos) / 1e9;
    } else {
      waitingPromptTokens -= request.promptTokens;
      counts.firstTokens++;
      counts.firstTokenSeconds += (endNanos - request.sinceNanos) / 1e9;
      counts.prefillTokens += generated.request().prompt().size() - generated.cachedTokens();
    }
    request.lastTokenNanos = endNanos;
    request.outputTokens++;
    contextTokens++;
  }

  void started(int request, int cachedTokens) {
    Optional.ofNullable(held.get(request))
        .filter(known -> known.before > 0)
        .ifPresent(
            known ->
                router.bulk().resumed(known.request.promptTokens() + known.before - cachedTokens));
    Optional.ofNullable(held.get(request))
        .ifPresent(
            known ->
                report(
                    known.lease,
                    new Outcome.Started(
                        "replies",
                        0,
                        request,
                        OptionalLong.empty(),
                        OptionalInt.of(cachedTokens))));
  }

  void finished(int request) {
    Held known = held.get(request);
    if (known != null) {
      forget(request);
      FleetRequest done = run.request(request);
      report(
          known.lease, new Outcome.Completed("stop", done.promptTokens(), done.outputTokens(), 0));
    }
  }

  private void forget(int request) {
    Held known = held.remove(request);
    if (known != null) {
      contextTokens -= known.promptTokens + known.outputTokens;
      waitingPromptTokens -= known.outputTokens > 0 ? 0 : known.promptTokens;
    }
  }

  private void progress() {
    held.values().forEach(known -> report(known.lease, new Outcome.Progress(0)));
  }

  private void report(LeaseRef lease, Outcome.Event event) {
    outcomes.send(() -> router.outcome(lease, event));
  }

  private void scrape() {
    stats = engine.stats();
    EngineTotals totals = counts.totals(stats.preemptions());
    EngineTotals added = totals.since(lastTotals);
    lastTotals = totals;
    boolean isBusy = !held.isEmpty();
    pace.observe(added, SCRAPE, isBusy || wasBusy);
    wasBusy = isBusy;
    limit.observe(
        new LimitWindow(
            held.size(),
            stats.waiting(),
            added.interTokenMillis(),
            OptionalDouble.of(stats.kvUsage()),
            (long) added.orZero(EngineCount.PREEMPTIONS),
            added.orZero(EngineCount.INTER_TOKENS),
            added.orZero(EngineCount.FIRST_TOKENS)));
    makeRoom();
  }

  private void makeRoom() {
    List<RunningRequest> running = held.values().stream().map(Held::whileRunning).toList();
    evictor
        .choose(running, OptionalDouble.of(stats.kvUsage()), limit.limit(), run.time().nowNanos())
        .forEach(leaving -> evict(Integer.parseInt(leaving.lease()), leaving.outputTokens()));
  }

  private void evict(int request, int made) {
    LeaseRef lease = Objects.requireNonNull(held.get(request)).lease;
    forget(request);
    engine.abort(request);
    router.bulk().evicted(request, made);
    report(lease, new Outcome.Returned(Outcome.ReturnReason.EVICTED, made));
  }

  private void beat() {
    WorkerSnapshot snapshot = snapshot();
    run.time()
        .at(run.time().nowNanos() + run.network().latencyNanos(), () -> router.heard(snapshot));
  }

  private WorkerSnapshot snapshot() {
    return WorkerSnapshotBuilder.builder()
        .id(id())
        .incarnation(INCARNATION)
        .sequence(++sequence)
        .models(List.of(SluiceFront.MODEL))
        .lanes(List.of())
        .maxModelLen(engine.config().maxModelLen())
        .tokenBudget((long) engine.config().kvBlocks() * engine.config().blockTokens())
        .tokensInUse(contextTokens)
        .kvUsage(OptionalDouble.of(stats.kvUsage()))
        .running(stats.running())
        .waiting(stats.waiting())
        .slots(slots.getAsInt())
        .held(Map.of(SluiceFront.ROUTER, held.size()))
        .draining(isDraining)
        .engineUp(isUp)
        .pace(new EnginePace(pace.prefillTokensPerSecond(), pace.stepMillis(), waitingPromptTokens))
        .traits(EngineTraits.NONE)
        .version("")
        .build();
  }
}
