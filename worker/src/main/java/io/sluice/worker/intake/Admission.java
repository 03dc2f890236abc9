package io.sluice.worker.intake;

import io.sluice.fleet.breaker.BreakerPhase;
import java.util.function.BooleanSupplier;
import java.util.function.IntSupplier;
import java.util.function.Supplier;

/**
 * Whether the worker accepts new requests. Thread-safe.
 *
 * @param slotsNow how many requests may run at once; may change from call to call
 * @param draining whether the worker drains
 * @param engineUp whether the engine answers, and is warmed up
 * @param breaker the phase of the worker's breaker
 */
public record Admission(
    IntSupplier slotsNow,
    BooleanSupplier draining,
    BooleanSupplier engineUp,
    Supplier<BreakerPhase> breaker) {

  /** Returns how many requests may run at once. */
  public int slots() {
    return slotsNow.getAsInt();
  }

  /**
   * Returns the most requests that are accepted: a tenth more than the slots, because routers
   * decide on a snapshot that is up to one heartbeat old.
   */
  public int limit() {
    return limitOf(slots());
  }

  /** Returns the most requests that are accepted with a number of slots. */
  public static int limitOf(int slots) {
    return slots + slots / 10;
  }

  /** Returns whether engine and breaker admit another request in addition to those that run. */
  boolean admitsWith(int running) {
    return engineUp.getAsBoolean() && breaker.get().admitsWith(running);
  }
}
