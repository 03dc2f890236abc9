package io.sluice.bench.fleet.sluice;

import io.sluice.bench.fleet.run.EngineNode;
import io.sluice.bench.fleet.run.FleetRequest;
import io.sluice.bench.fleet.run.FleetRun;
import io.sluice.bench.fleet.run.Mix;
import io.sluice.bench.fleet.run.Network;
import io.sluice.common.protocol.Assignment;
import io.sluice.common.protocol.LeaseRef;
import io.sluice.common.protocol.Outcome.ReturnReason;
import io.sluice.fleet.WorkerSnapshot;
import io.sluice.fleet.breaker.BreakerState;
import io.sluice.simulator.engine.LiveSequence;
import io.sluice.worker.limit.Ramp;
import java.time.Duration;
import java.util.Optional;
import java.util.function.IntSupplier;

/**
 * A worker with one engine in virtual time. It takes assignments up to its limit, reports outcomes,
 * reads the engine's metrics twice a second and sends heartbeats four times a second.
 */
public final class VirtualWorker {
  private static final Duration HEARTBEAT = Duration.ofMillis(250);
  private static final Duration SCRAPE = Duration.ofMillis(500);
  private static final Duration PROGRESS = Duration.ofSeconds(2);
  private static final Duration SIGN_OFF = Duration.ofSeconds(1);

  /** A router forgets a worker that it has not heard of for so long. */
  private static final Duration FORGOTTEN_AFTER = Duration.ofSeconds(10);

  /** The default of {@code ramp-millis}: how a worker with a new engine lets requests in. */
  private static final Duration RAMP = Duration.ofSeconds(10);

  private final int index;
  private final int life;
  private final WorkerRole role;
  private final FleetRun run;
  private final SluiceFront router;
  private final EngineNode engine;
  private final Network.Channel topic;
  private final HeldRequests held = new HeldRequests();
  private final EngineReadings readings;
  private final EngineChecks checks;
  private final WorkerAttempts attempts;
  private final WorkerSnapshots snapshots;
  private IntSupplier slots;
  private boolean isDraining;
  private boolean isEngineIn = true;
  private boolean isGone;

  VirtualWorker(int index, WorkerRole role, FleetRun run, SluiceFront router) {
    this(index, 1, role, run, router);
  }

  private VirtualWorker(int index, int life, WorkerRole role, FleetRun run, SluiceFront router) {
    this.index = index;
    this.life = life;
    this.role = role;
    this.run = run;
    this.router = router;
    this.engine = run.engines().get(index);
    this.topic = run.network().channel();
    this.readings = new EngineReadings(engine);
    this.checks = new EngineChecks(run.time(), engine, held, new Findings());
    this.attempts = new WorkerAttempts(run, router, engine, held, checks);
    this.snapshots =
        new WorkerSnapshots(id(), incarnation(), role, engine.config(), readings, held);
    this.slots = readings::limit;
    // Workers do not run in lockstep.
    long phase = Math.floorMod(Mix.next(index), HEARTBEAT.toNanos());
    long now = run.time().nowNanos();
    run.time().at(now, this::beat);
    every(now + phase, SCRAPE, this::scrape);
    every(now + phase, HEARTBEAT, this::beat);
    every(now + phase, PROGRESS, attempts::progress);
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
  public void leave() {
    drain();
    // Until then, what was sent before the router knew has arrived and was handed back.
    every(run.time().nowNanos() + SIGN_OFF.toNanos(), SIGN_OFF, this::signOff);
  }

  private void signOff() {
    if (held.isEmpty()) {
      isGone = true;
      router.registry().left(id(), incarnation());
    }
  }

  /** Returns whether it has signed off or died. */
  public boolean isGone() {
    return isGone;
  }

  private String id() {
    return idOf(index);
  }

  /** Each process of a worker has another one. */
  private String incarnation() {
    return "life" + life;
  }

  /** Returns the id of the worker of an engine. */
  static String idOf(int engine) {
    return "w" + engine;
  }

  /** Returns the engine of a worker. */
  static int indexOf(String id) {
    return Integer.parseInt(id.substring(1));
  }

  /** Returns the channel from the router to this worker. */
  Network.Channel topic() {
    return topic;
  }

  /** Accepts an assignment or hands it back. A worker that is gone does neither. */
  void assigned(Assignment assignment, FleetRequest request) {
    if (!isGone) {
      refusal(assignment)
          .ifPresentOrElse(
              reason -> attempts.refuse(assignment.lease(), reason),
              () -> attempts.begin(assignment, request));
    }
  }

  private Optional<ReturnReason> refusal(Assignment assignment) {
    if (!assignment.lease().incarnation().equals(incarnation())) {
      return Optional.of(ReturnReason.STALE);
    }
    if (isDraining) {
      return Optional.of(ReturnReason.DRAINING);
    }
    if (!checks.admitAnother()) {
      return Optional.of(ReturnReason.BREAKER_OPEN);
    }
    boolean isFull = held.size() >= slots.getAsInt() + slots.getAsInt() / 10;
    return isFull || attempts.areClosedTo(assignment)
        ? Optional.of(ReturnReason.NO_SLOT)
        : Optional.empty();
  }

  /** Accepts nothing new. */
  public void drain() {
    isDraining = true;
    beat();
  }

  /** Another engine process takes the engine's place; what runs is handed back. */
  public void restart(Duration cold) {
    attempts.handBackAll();
    isEngineIn = false;
    engine.restart(cold);
    readings.engineReplaced();
    beat();
  }

  /** Accepts requests again, at first an eighth of its limit. */
  public void enter(Duration rampLength) {
    var ramp = new Ramp(readings::limit, rampLength, run.time()::nowNanos);
    ramp.begin();
    slots = ramp::limit;
    isEngineIn = true;
    isDraining = false;
    beat();
  }

  /** The engine's process has ended. A worker without open connections finds that out later. */
  void engineFailed() {
    if (!held.isEmpty()) {
      checks.ask(() -> {});
    }
  }

  /** The worker dies with its machine. The router hears nothing of that. */
  void die() {
    isGone = true;
    attempts.die();
    run.time()
        .at(
            run.time().nowNanos() + FORGOTTEN_AFTER.toNanos(),
            () -> router.registry().left(id(), incarnation()));
  }

  /** Returns the next worker on the same machine, when its engine is warm. */
  VirtualWorker successor() {
    VirtualWorker next = new VirtualWorker(index, life + 1, role, run, router);
    next.enter(RAMP);
    return next;
  }

  void revoked(LeaseRef lease) {
    attempts.revoked(lease);
  }

  /**
   * Called when the engine generates a token, which its metrics count from the start of the step.
   */
  void token(LiveSequence generated, long endNanos) {
    HeldRequest request = held.get((int) generated.request().id());
    if (request != null) {
      readings.token(request, generated, endNanos);
      held.token(request, endNanos);
    }
  }

  void started(int request, int cachedTokens) {
    attempts.started(request, cachedTokens);
  }

  void finished(int request) {
    attempts.finished(request);
  }

  private final class Findings implements EngineChecks.Listener {
    @Override
    public void breakerChanged(BreakerState state) {
      afterMessage(() -> router.registry().heard(id(), state));
    }

    @Override
    public void down() {
      attempts.engineDown();
    }

    /** After a crash the engine is let in at once, because streams wait for it. */
    @Override
    public void back() {
      readings.engineReplaced();
    }
  }

  private void scrape() {
    checks.check();
    if (checks.isUp()) {
      readings.read(held.size(), SCRAPE);
      attempts.makeRoom(readings.stats().kvUsage(), readings.limit());
    }
  }

  private void beat() {
    WorkerSnapshot snapshot =
        snapshots.next(slots.getAsInt(), isDraining, isEngineIn && checks.isUp());
    afterMessage(
        () -> {
          if (!isGone) {
            router.registry().heard(snapshot, run.time().nowNanos());
          }
        });
  }

  private void afterMessage(Runnable arrival) {
    run.time().at(run.time().nowNanos() + run.network().latencyNanos(), arrival);
  }
}
