package io.sluice.worker.generation;

import io.sluice.common.protocol.Outcome;
import io.sluice.worker.engine.EngineCheck;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

/**
 * Sees to it that an engine that dies at a suspect dies of it: nothing else is there that might
 * have killed it, and it lived when the suspect came. Used once, by the generation's own thread.
 */
final class SuspectIsolation {
  /** Less than the time within which a router wants an assignment to be accepted. */
  private static final Duration PATIENCE = Duration.ofSeconds(1);

  private static final Duration SLICE = Duration.ofMillis(20);

  private final Services services;
  private final LeaseSupervisor lease;
  private final BooleanSupplier hasUnprovenOthers;

  /**
   * The isolation of one generation.
   *
   * @param hasUnprovenOthers whether another one of the worker has no token in the log yet
   */
  SuspectIsolation(Services services, LeaseSupervisor lease, BooleanSupplier hasUnprovenOthers) {
    this.services = services;
    this.lease = lease;
    this.hasUnprovenOthers = hasUnprovenOthers;
  }

  /**
   * Waits until the suspect may go to the engine. It is accepted only when it is alone, and goes on
   * when that is in the log: else a worker that dies would be held against what it never began, or
   * against nobody.
   *
   * @param accept reports the acceptance
   * @throws AttemptEndedException if it does not come to be alone, or the engine does not live, or
   *     as {@link LeaseSupervisor#check} does
   */
  void enter(Supplier<CompletableFuture<Long>> accept)
      throws AttemptEndedException, InterruptedException {
    if (!isAlone()) {
      throw lease.returned(Outcome.ReturnReason.NO_SLOT);
    }
    lease.awaitOrStop(accept.get());
    if (lease.awaitOrStop(services.check().condition()) != EngineCheck.Condition.UP) {
      throw lease.returned(Outcome.ReturnReason.BREAKER_OPEN);
    }
  }

  /** Nothing comes to a suspect, so it is enough to wait for those that are there. */
  private boolean isAlone() throws InterruptedException {
    for (long slices = PATIENCE.dividedBy(SLICE); slices > 0; slices--) {
      if (!hasUnprovenOthers.getAsBoolean() || lease.isStopping()) {
        return true;
      }
      TimeUnit.MILLISECONDS.sleep(SLICE.toMillis());
    }
    return !hasUnprovenOthers.getAsBoolean();
  }
}
