package io.sluice.bench.fleet.sluice;

import io.sluice.bench.fleet.run.EngineNode;
import io.sluice.bench.fleet.run.FleetRequest;
import io.sluice.bench.fleet.run.FleetRun;
import io.sluice.bench.fleet.run.Network;
import io.sluice.common.protocol.Assignment;
import io.sluice.common.protocol.ErrorKind;
import io.sluice.common.protocol.FailureCode;
import io.sluice.common.protocol.LeaseRef;
import io.sluice.common.protocol.Outcome;
import io.sluice.common.protocol.Outcome.ReturnReason;
import io.sluice.worker.evict.Evictor;
import io.sluice.worker.evict.RunningRequest;
import java.util.List;
import java.util.Objects;
import java.util.OptionalDouble;
import java.util.OptionalInt;
import java.util.OptionalLong;

/**
 * The attempts of a worker at requests, each from its assignment to its last report. An attempt
 * that continues an answer first claims it in the reply log and reads there what is written, which
 * takes two messages. Not thread-safe.
 */
final class WorkerAttempts {
  private static final int BAD_REQUEST = 400;

  private final FleetRun run;
  private final SluiceFront router;
  private final EngineNode engine;
  private final HeldRequests held;
  private final EngineChecks checks;
  private final SuspectEntrance suspects;
  private final Evictor evictor = new Evictor();
  private final Network.Channel outcomes;

  WorkerAttempts(
      FleetRun run, SluiceFront router, EngineNode engine, HeldRequests held, EngineChecks checks) {
    this.run = run;
    this.router = router;
    this.engine = engine;
    this.held = held;
    this.checks = checks;
    this.suspects = new SuspectEntrance(run.time(), held);
    this.outcomes = run.network().channel();
  }

  /** Returns whether a suspect keeps a request out. */
  boolean areClosedTo(Assignment assignment) {
    return suspects.isClosedTo(assignment.suspect());
  }

  /** Begins an attempt, unless the engine would reject it. */
  void begin(Assignment assignment, FleetRequest request) {
    int before = router.answers().tokens(request.id());
    if (request.promptTokens() + before >= engine.config().maxModelLen()) {
      // The router estimates prompts, and the engine counts them.
      report(
          assignment.lease(),
          new Outcome.Rejected(ErrorKind.CONTEXT_LENGTH_EXCEEDED, BAD_REQUEST, "", false));
      return;
    }
    HeldRequest taken =
        new HeldRequest(
            assignment, request, router.promptTokens(request), before, run.time().nowNanos());
    held.add(taken);
    if (taken.isSuspect()) {
      suspects.enter(taken, () -> beginAlone(taken), () -> handBack(taken, ReturnReason.NO_SLOT));
    } else {
      report(taken.lease(), new Outcome.Accepted());
      claim(taken);
    }
  }

  /** A suspect continues when its acceptance is in the log and its engine is known to be up. */
  private void beginAlone(HeldRequest suspect) {
    report(suspect.lease(), new Outcome.Accepted());
    after(1, () -> checks.ask(() -> claim(suspect)));
  }

  private void claim(HeldRequest taken) {
    if (router.answers().hasEndedAttempt(taken.request().id())) {
      after(2, () -> submit(taken));
    } else {
      submit(taken);
    }
  }

  private void submit(HeldRequest taken) {
    if (!held.has(taken)) {
      return;
    }
    if (engine.isUp()) {
      taken.submitted();
      engine.submit(taken.request(), taken.before());
    } else {
      checks.ask(() -> {});
    }
  }

  private void after(int messages, Runnable action) {
    long nanos = 0;
    for (int i = 0; i < messages; i++) {
      nanos += run.network().latencyNanos();
    }
    run.time().at(run.time().nowNanos() + nanos, action);
  }

  void revoked(LeaseRef lease) {
    HeldRequest known = held.get(Integer.parseInt(lease.requestId()));
    if (known != null && known.lease().equals(lease)) {
      held.remove(known);
      engine.abort(known.request().id());
    }
  }

  void started(int request, int cachedTokens) {
    HeldRequest known = held.get(request);
    if (known == null) {
      return;
    }
    if (known.before() > 0) {
      router.bulk().resumed(known.request().promptTokens() + known.before() - cachedTokens);
    }
    report(
        known.lease(),
        new Outcome.Started(
            "replies", 0, request, OptionalLong.empty(), OptionalInt.of(cachedTokens)));
  }

  void finished(int request) {
    HeldRequest known = held.get(request);
    if (known != null) {
      held.remove(known);
      checks.completed(known);
      FleetRequest done = known.request();
      report(
          known.lease(),
          new Outcome.Completed("stop", done.promptTokens(), done.outputTokens(), 0));
    }
  }

  /** The worker still has all that it has. */
  void progress() {
    held.all().forEach(known -> report(known.lease(), new Outcome.Progress(0)));
  }

  /** The engine is down: requests that it had may have killed it, others are only handed back. */
  void engineDown() {
    for (HeldRequest known : held.removeAll()) {
      router.answers().ended(known.request().id(), known.answerTokens());
      report(
          known.lease(),
          known.isInEngine()
              ? new Outcome.Failed(FailureCode.ENGINE_GONE, "the engine died", known.answerTokens())
              : new Outcome.Returned(ReturnReason.BREAKER_OPEN, known.answerTokens()));
    }
  }

  /** The worker is gone, and reports nothing. */
  void die() {
    held.removeAll()
        .forEach(known -> router.answers().ended(known.request().id(), known.answerTokens()));
  }

  /** Another engine takes the place of this one: everything is handed back. */
  void handBackAll() {
    held.removeAll()
        .forEach(
            known ->
                report(
                    known.lease(),
                    new Outcome.Returned(ReturnReason.DRAINING, known.outputTokens())));
  }

  /** Evicts bulk requests as the real worker does. */
  void makeRoom(double kvUsage, int limit) {
    List<RunningRequest> running = held.all().stream().map(HeldRequest::whileRunning).toList();
    evictor
        .choose(running, OptionalDouble.of(kvUsage), limit, run.time().nowNanos())
        .forEach(leaving -> evict(Integer.parseInt(leaving.lease())));
  }

  private void evict(int request) {
    HeldRequest known = Objects.requireNonNull(held.get(request));
    engine.abort(request);
    router.bulk().evicted();
    handBack(known, ReturnReason.EVICTED);
  }

  private void handBack(HeldRequest known, ReturnReason reason) {
    held.remove(known);
    router.answers().ended(known.request().id(), known.answerTokens());
    report(known.lease(), new Outcome.Returned(reason, known.answerTokens()));
  }

  /** An assignment is not accepted. */
  void refuse(LeaseRef lease, ReturnReason reason) {
    report(lease, new Outcome.Returned(reason, 0));
  }

  private void report(LeaseRef lease, Outcome.Event event) {
    outcomes.send(() -> router.outcome(lease, event));
  }
}
