package io.sluice.worker.generation;

import io.sluice.common.protocol.Amendment;
import io.sluice.common.protocol.ErrorKind;
import io.sluice.common.protocol.FailureCode;
import io.sluice.common.protocol.Outcome;
import io.sluice.common.protocol.Priority;
import io.sluice.worker.clock.Ticker;
import io.sluice.worker.engine.EngineException;
import io.sluice.worker.engine.EngineFailure;
import io.sluice.worker.engine.EngineStream;
import io.sluice.worker.reply.ReplyScan;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * Decides whether a generation may continue under its lease, and how it ends when it may not.
 * {@link #stop} may be called from any thread, everything else from the generation's own.
 */
final class LeaseSupervisor {
  /** Longer than the delivery timeout of the log's producer, so that the log gives up first. */
  private static final Duration WRITE_BOUND = Duration.ofSeconds(20);

  private static final Duration SLICE = Duration.ofMillis(100);

  private final Services services;
  private final ReplyWriter writer;
  private final AttemptFailures failures;
  private final ProgressReporter progress;
  private final EngineContact contact;
  private final LeaseTerm term;
  private final AtomicReference<@Nullable StopReason> stop = new AtomicReference<>();
  private volatile @Nullable EngineStream stream;
  private boolean isOwner;

  LeaseSupervisor(Services services, AssignedRequest request, ReplyWriter writer) {
    this.services = services;
    this.writer = writer;
    this.failures = new AttemptFailures(request, writer);
    this.contact = new EngineContact(services.check(), services.ticker());
    this.term = new LeaseTerm(request, services.ticker());
    this.isOwner = !Claim.isNeeded(request.assignment());
    this.progress =
        new ProgressReporter(
            services.log(),
            services.ticker(),
            request.assignment().lease(),
            request.assignment().requestPartition());
  }

  /**
   * Stops the generation. The first reason counts, except that {@code ABANDONED}, which forbids all
   * writing, replaces any other.
   */
  void stop(StopReason reason) {
    stop.accumulateAndGet(
        reason, (known, next) -> known == null || next == StopReason.ABANDONED ? next : known);
    EngineStream running = stream;
    if (running != null) {
      running.cancel();
    }
  }

  /** Changes the deadline and the priority. */
  void amend(Amendment amendment) {
    term.amend(amendment);
  }

  Priority priority() {
    return term.priority();
  }

  /**
   * Tells the router at once that earlier attempts left tokens in the log. Their worker may have
   * died before it could, and then the request is suspected to have killed it.
   */
  void found(int tokens) {
    progress.report(tokens);
  }

  /** The claim is the last one in the log, so what this lease writes counts from now on. */
  void claimed() {
    isOwner = true;
  }

  /**
   * The engine has confirmed that it has the request, so the request may be the cause if the engine
   * dies.
   */
  void begun() {
    contact.begun();
  }

  /** From now on a stop cancels this stream. */
  void runs(EngineStream running) {
    contact.sent();
    stream = running;
    if (stop.get() != null) {
      running.cancel();
    }
  }

  /** Returns whether it is to end before its answer is complete. */
  boolean isStopping() {
    return stop.get() != null;
  }

  /** Returns whether anything may still be written. */
  boolean mayWrite() {
    StopReason reason = stop.get();
    return reason != StopReason.ABANDONED && reason != StopReason.REVOKED;
  }

  /** Returns the time until the deadline; zero if it has passed. */
  Duration untilDeadline() {
    return term.left();
  }

  /** Returns how long the caller may wait until it has to call {@link #check} again. */
  Duration patience() {
    Duration untilDeadline = untilDeadline();
    Duration untilReport = progress.untilDue();
    return untilDeadline.compareTo(untilReport) < 0 ? untilDeadline : untilReport;
  }

  /**
   * Reports progress if that is due.
   *
   * @throws AttemptEndedException if the attempt was stopped, is past its deadline, or cannot be
   *     written
   */
  void check() throws AttemptEndedException, InterruptedException {
    progress.tick(writer.acknowledged());
    StopReason reason = stop.get();
    if (reason != null) {
      throw stopped(reason);
    }
    if (untilDeadline().isZero()) {
      throw late();
    }
    if (writer.hasFailed()) {
      throw unwritable();
    }
  }

  /**
   * Waits until a record is in the log.
   *
   * @throws AttemptEndedException if it cannot be written, or the attempt is abandoned
   */
  <T> T await(CompletableFuture<T> written) throws AttemptEndedException, InterruptedException {
    Ticker ticker = services.ticker();
    long start = ticker.nanos();
    while (ticker.since(start).compareTo(WRITE_BOUND) < 0) {
      try {
        return written.get(SLICE.toMillis(), TimeUnit.MILLISECONDS);
      } catch (TimeoutException e) {
        progress.tick(writer.acknowledged());
        if (stop.get() == StopReason.ABANDONED) {
          throw AttemptEndedException.silently();
        }
      } catch (ExecutionException e) {
        throw unwritable();
      }
    }
    throw unwritable();
  }

  /** Work that may take long. */
  interface Work<T> {
    T get() throws ReplyScan.ScanException, EngineException, InterruptedException;
  }

  /**
   * Runs work on another thread and keeps the lease alive meanwhile.
   *
   * @throws AttemptEndedException as {@link #check} does; the work is interrupted then
   */
  <T> T during(Work<T> work)
      throws AttemptEndedException, ReplyScan.ScanException, EngineException, InterruptedException {
    var task = new FutureTask<T>(work::get);
    Thread.ofVirtual().name("claim").start(task);
    try {
      return watch(task);
    } catch (ExecutionException e) {
      switch (e.getCause()) {
        case ReplyScan.ScanException unreadable -> throw unreadable;
        case EngineException failed -> throw failed;
        case RuntimeException broken -> throw broken;
        case null, default -> throw new IllegalStateException(e);
      }
    } finally {
      task.cancel(true);
    }
  }

  /**
   * Waits until a record is in the log, unless the attempt ends first.
   *
   * @throws AttemptEndedException as {@link #check} does
   */
  <T> T awaitOrStop(CompletableFuture<T> written)
      throws AttemptEndedException, InterruptedException {
    try {
      return watch(written);
    } catch (ExecutionException e) {
      throw unwritable();
    }
  }

  private <T> T watch(Future<T> awaited)
      throws AttemptEndedException, ExecutionException, InterruptedException {
    while (true) {
      try {
        return awaited.get(SLICE.toMillis(), TimeUnit.MILLISECONDS);
      } catch (TimeoutException e) {
        check();
      }
    }
  }

  /** Ends the request with an error that its caller sees. */
  AttemptEndedException fail(ErrorKind kind, String message, Outcome.Event event)
      throws InterruptedException, AttemptEndedException {
    EngineStream running = stream;
    if (running != null) {
      running.cancel();
    }
    await(writer.error(kind.toJson(message)));
    return AttemptEndedException.with(event);
  }

  /**
   * Returns the outcome of an engine failure. A request that an absent engine had, or that a dead
   * engine did not get, is handed back to the router. One that a dead engine had may be the cause
   * of its death; this does not count against the quality of the worker.
   *
   * @throws AttemptEndedException as {@link #check} does
   */
  Outcome.Event failed(EngineFailure failure) throws AttemptEndedException, InterruptedException {
    if (!failure.mayBeDeath()) {
      return failures.ofEngine(failure);
    }
    var returned = new Outcome.Returned(Outcome.ReturnReason.BREAKER_OPEN, writer.acknowledged());
    return switch (contact.conditionOfItsEngine(awaitOrStop(services.check().condition()))) {
      case UP -> failures.ofEngine(failure);
      case AWAY -> returned;
      case DEAD -> contact.mayHaveBegun(failure) ? engineGone(failure.message()) : returned;
    };
  }

  private AttemptEndedException stopped(StopReason reason)
      throws AttemptEndedException, InterruptedException {
    return switch (reason) {
      case ABANDONED -> AttemptEndedException.silently();
      case REVOKED ->
          AttemptEndedException.with(
              new Outcome.Returned(Outcome.ReturnReason.STALE, writer.acknowledged()));
      case DRAINING -> returned(Outcome.ReturnReason.DRAINING);
      case EVICTED -> returned(Outcome.ReturnReason.EVICTED);
      case ENGINE_AWAY -> returned(Outcome.ReturnReason.BREAKER_OPEN);
      case ENGINE_DEAD -> {
        AttemptEndedException back = returned(Outcome.ReturnReason.BREAKER_OPEN);
        yield contact.mayHaveBegun()
            ? AttemptEndedException.with(engineGone("the engine died"))
            : back;
      }
    };
  }

  /** Before its claim, records of this lease may not count, so the router ends the request. */
  private AttemptEndedException late() throws AttemptEndedException, InterruptedException {
    return isOwner
        ? fail(
            ErrorKind.DEADLINE_EXCEEDED,
            "the deadline passed before the answer was complete",
            new Outcome.Expired())
        : returned(Outcome.ReturnReason.STALE);
  }

  /** Returns the request to the router, once all that was written is in the log. */
  AttemptEndedException returned(Outcome.ReturnReason reason)
      throws AttemptEndedException, InterruptedException {
    await(writer.whole());
    return AttemptEndedException.with(new Outcome.Returned(reason, writer.acknowledged()));
  }

  private Outcome.Event engineGone(String message) {
    return failures.of(FailureCode.ENGINE_GONE, message);
  }

  private AttemptEndedException unwritable() {
    return AttemptEndedException.with(failures.ofLog());
  }
}
