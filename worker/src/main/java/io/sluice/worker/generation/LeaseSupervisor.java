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
 * The life line of a generation: whether it may go on, and how it ends when it may not. {@link
 * #stop} may be called by any thread, the rest by the generation's own.
 */
final class LeaseSupervisor {
  /** Longer than the log's own delivery time-out, so that it is the log that gives up. */
  private static final Duration WRITE_BOUND = Duration.ofSeconds(20);

  private static final Duration SLICE = Duration.ofMillis(100);

  private final Services services;
  private final ReplyWriter writer;
  private final AttemptFailures failures;
  private final ProgressReporter pulse;
  private final EngineContact contact;
  private volatile Priority priority;
  private volatile Term term;
  private final AtomicReference<@Nullable StopReason> stop = new AtomicReference<>();
  private volatile @Nullable EngineStream stream;
  private boolean isCounted;

  /** So long the answer is wanted, from a moment of the worker's own ticker on. */
  private record Term(long millis, long sinceNanos) {}

  LeaseSupervisor(Services services, AssignedRequest request, ReplyWriter writer) {
    this.services = services;
    this.writer = writer;
    this.failures = new AttemptFailures(request, writer);
    this.contact = new EngineContact(services.check(), services.ticker());
    this.priority = request.assignment().priority();
    this.term = new Term(request.assignment().remainingMillis(), request.receivedNanos());
    this.isCounted = !Claim.isNeeded(request.assignment());
    this.pulse =
        new ProgressReporter(
            services.log(),
            services.ticker(),
            request.assignment().lease(),
            request.assignment().requestPartition());
  }

  /** Stops the generation; the first reason counts, but for one that lets nothing be written. */
  void stop(StopReason reason) {
    stop.accumulateAndGet(
        reason, (known, next) -> known == null || next == StopReason.ABANDONED ? next : known);
    EngineStream running = stream;
    if (running != null) {
      running.cancel();
    }
  }

  /** Changes for how long, and with what priority, the generation may go on. */
  void amend(Amendment amendment) {
    priority = amendment.priority();
    term = new Term(amendment.remainingMillis(), services.ticker().nanos());
  }

  Priority priority() {
    return priority;
  }

  /** What it writes counts from now on: its claim is the last one in the log. */
  void claimed() {
    isCounted = true;
  }

  /** The engine has answered that it has it, and may die of it. */
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

  /** Whether it is to end before its answer does. */
  boolean isStopping() {
    return stop.get() != null;
  }

  /** Whether anything may still be written. */
  boolean mayWrite() {
    StopReason reason = stop.get();
    return reason != StopReason.ABANDONED && reason != StopReason.REVOKED;
  }

  /** How long the answer is wanted still; zero once it is not. */
  Duration untilDeadline() {
    Term current = term;
    Duration left =
        Duration.ofMillis(current.millis()).minus(services.ticker().since(current.sinceNanos()));
    return left.isNegative() ? Duration.ZERO : left;
  }

  /** How long the next wait may take before the lease needs to be looked after. */
  Duration patience() {
    Duration untilDeadline = untilDeadline();
    Duration untilPulse = pulse.untilDue();
    return untilDeadline.compareTo(untilPulse) < 0 ? untilDeadline : untilPulse;
  }

  /**
   * Reports progress if that is due.
   *
   * @throws AttemptEndedException if the attempt was stopped, is past its deadline, or cannot be
   *     written
   */
  void check() throws AttemptEndedException, InterruptedException {
    pulse.tick(writer.acknowledged());
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
   * Waits for a record to be in the log.
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
        pulse.tick(writer.acknowledged());
        if (stop.get() == StopReason.ABANDONED) {
          throw AttemptEndedException.silently();
        }
      } catch (ExecutionException e) {
        throw unwritable();
      }
    }
    throw unwritable();
  }

  /** What may take long. */
  interface Work<T> {
    T get() throws ReplyScan.ScanException, EngineException, InterruptedException;
  }

  /**
   * Has something done by another thread, and looks after the lease meanwhile.
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
   * Waits for a record to be in the log that need not be there.
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

  /** Ends the request by an error that its caller sees. */
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
   * What the router is told of an engine that failed. What one that is away had, and what one that
   * is dead had not got, is handed back; what it took along may be what it died of, and says
   * nothing of how well it serves.
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

  /** Before its claim, what it writes may be of no account: then it is the router that ends it. */
  private AttemptEndedException late() throws AttemptEndedException, InterruptedException {
    return isCounted
        ? fail(
            ErrorKind.DEADLINE_EXCEEDED,
            "the deadline passed before the answer was whole",
            new Outcome.Expired())
        : returned(Outcome.ReturnReason.STALE);
  }

  /** Ends the attempt without prejudice, once what it wrote is in the log. */
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
