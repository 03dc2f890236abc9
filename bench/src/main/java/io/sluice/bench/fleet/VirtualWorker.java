package io.sluice.bench.fleet;

import io.sluice.common.fleet.EnginePace;
import io.sluice.common.fleet.EngineTraits;
import io.sluice.common.fleet.WorkerSnapshot;
import io.sluice.common.protocol.LeaseRef;
import io.sluice.common.protocol.Outcome;
import io.sluice.simulator.engine.EngineStats;
import io.sluice.simulator.engine.LiveSequence;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalInt;
import java.util.OptionalLong;

/**
 * A worker beside one engine in virtual time: takes assignments up to its limit, reports outcomes,
 * reads the engine's metrics twice a second and tells the fleet of itself four times a second.
 */
final class VirtualWorker {
  private static final String INCARNATION = "first";
  private static final long HEARTBEAT_NANOS = 250_000_000L;
  private static final long SCRAPE_NANOS = 500_000_000L;
  private static final long PROGRESS_NANOS = 2_000_000_000L;
  private static final int SLOTS = 32;

  private final int index;
  private final FleetRun run;
  private final SluiceFront router;
  private final EngineNode engine;
  private final Network.Channel topic;
  private final Network.Channel outcomes;
  private final Map<Integer, LeaseRef> held = new HashMap<>();
  private long sequence;
  private long contextTokens;
  private EngineStats stats;

  VirtualWorker(int index, FleetRun run, SluiceFront router) {
    this.index = index;
    this.run = run;
    this.router = router;
    this.engine = run.engines().get(index);
    this.topic = run.network().channel();
    this.outcomes = run.network().channel();
    this.stats = engine.stats();
    // Workers are not in step with each other.
    long phase = Math.floorMod(Mix.next(index), HEARTBEAT_NANOS);
    run.time().at(0, this::beat);
    run.time().every(phase, SCRAPE_NANOS, this::scrape);
    run.time().every(phase, HEARTBEAT_NANOS, this::beat);
    run.time().every(phase, PROGRESS_NANOS, this::progress);
  }

  static int indexOf(String id) {
    return Integer.parseInt(id.substring(1));
  }

  /** The way from the router to this worker. */
  Network.Channel topic() {
    return topic;
  }

  void assigned(LeaseRef lease, FleetRequest request) {
    if (held.size() >= SLOTS + SLOTS / 10) {
      report(lease, new Outcome.Returned(Outcome.ReturnReason.NO_SLOT, 0));
      return;
    }
    held.put(request.id(), lease);
    contextTokens += SluiceFront.contextTokens(request);
    report(lease, new Outcome.Accepted());
    engine.submit(request);
  }

  void revoked(LeaseRef lease) {
    int request = Integer.parseInt(lease.requestId());
    if (held.remove(request, lease)) {
      contextTokens -= SluiceFront.contextTokens(run.request(request));
      engine.abort(request);
    }
  }

  void token(LiveSequence generated, long endNanos) {}

  void started(int request, int cachedTokens) {
    Optional.ofNullable(held.get(request))
        .ifPresent(
            lease ->
                report(
                    lease,
                    new Outcome.Started(
                        "replies",
                        0,
                        request,
                        OptionalLong.empty(),
                        OptionalInt.of(cachedTokens))));
  }

  void finished(int request) {
    LeaseRef lease = held.remove(request);
    if (lease != null) {
      FleetRequest done = run.request(request);
      contextTokens -= SluiceFront.contextTokens(done);
      report(lease, new Outcome.Completed("stop", done.promptTokens(), done.outputTokens(), 0));
    }
  }

  private void progress() {
    held.values().forEach(lease -> report(lease, new Outcome.Progress(0)));
  }

  private void report(LeaseRef lease, Outcome.Event event) {
    outcomes.send(() -> router.outcome(lease, event));
  }

  private void scrape() {
    stats = engine.stats();
  }

  private void beat() {
    WorkerSnapshot snapshot = snapshot();
    run.time()
        .at(run.time().nowNanos() + run.network().latencyNanos(), () -> router.heard(snapshot));
  }

  private WorkerSnapshot snapshot() {
    return new WorkerSnapshot(
        "w" + index,
        INCARNATION,
        ++sequence,
        List.of(SluiceFront.MODEL),
        Optional.empty(),
        List.of(),
        engine.config().maxModelLen(),
        (long) engine.config().kvBlocks() * engine.config().blockTokens(),
        contextTokens,
        OptionalDouble.of(stats.kvUsage()),
        stats.running(),
        stats.waiting(),
        SLOTS,
        Map.of("router", held.size()),
        false,
        true,
        EnginePace.UNKNOWN,
        EngineTraits.NONE,
        "");
  }
}
