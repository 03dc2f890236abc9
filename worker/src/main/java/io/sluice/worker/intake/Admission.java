package io.sluice.worker.intake;

import io.sluice.fleet.breaker.BreakerPhase;
import java.util.function.BooleanSupplier;
import java.util.function.IntSupplier;
import java.util.function.Supplier;

/**
 * Whether the worker takes anything new. Thread-safe.
 *
 * @param slotsNow how many requests run at once; may change from call to call
 * @param draining whether the worker is to be empty
 * @param engineUp whether the engine answers
 * @param breaker what the worker's breaker lets through
 */
public record Admission(
    IntSupplier slotsNow,
    BooleanSupplier draining,
    BooleanSupplier engineUp,
    Supplier<BreakerPhase> breaker) {

  /** An admission with a fixed number of slots. */
  public Admission(
      int slots,
      BooleanSupplier draining,
      BooleanSupplier engineUp,
      Supplier<BreakerPhase> breaker) {
    this(() -> slots, draining, engineUp, breaker);
  }

  /** How many requests run at once. */
  public int slots() {
    return slotsNow.getAsInt();
  }

  /**
   * The most that is held: a tenth over the slots, since routers decide on a view that is a
   * heartbeat old.
   */
  public int limit() {
    int slots = slots();
    return slots + slots / 10;
  }

  /** Whether engine and breaker let one more in beside those that run. */
  boolean admitsBeside(int running) {
    return engineUp.getAsBoolean() && breaker.get().admitsBeside(running);
  }
}
