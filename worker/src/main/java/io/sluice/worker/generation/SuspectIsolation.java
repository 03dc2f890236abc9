package io.sluice.worker.generation;

import io.sluice.common.protocol.Outcome;
import io.sluice.worker.engine.EngineCheck;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

/**
 * Isolates a suspect: no other request that might have killed the engine is in it, and the engine
 * was alive when the suspect came. If the engine dies then, the suspect is the cause. Used once, by
 * the generation's own thread.
 */
final class SuspectIsolation {
  /** Shorter than the time within which the router expects an assignment to be accepted. */
  private static final Duration PATIENCE = Duration.ofSeconds(1);

  private static final Duration SLICE = Duration.ofMillis(20);

  private final Services services;
  private final LeaseSupervisor lease;
  private final BooleanSupplier hasUnprovenOthers;

  /**
   * The isolation of one generation.
   *
   * @param hasUnprovenOthers whether another generation of the worker has no token in the log yet
   */
  SuspectIsolation(Services services, LeaseSupervisor lease, BooleanSupplier hasUnprovenOthers) {
    this.services = services;
    this.lease = lease;
    this.hasUnprovenOthers = hasUnprovenOthers;
  }

  /**
   * Waits until the suspect may go to the engine. It is accepted only when it is alone, and
   * continues only when its acceptance is in the log. Otherwise the death of a worker would count
   * against a request that it never began, or against none.
   *
   * @param accept reports the acceptance
   * @throws AttemptEndedException if it does not become alone in time, the engine is not up, or as
   *     {@link LeaseSupervisor#check} does
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

  /**
   * The intake admits no other request while a suspect is here, so it is enough to wait for those
   * that are running.
   */
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
