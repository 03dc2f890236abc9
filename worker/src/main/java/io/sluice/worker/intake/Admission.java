package io.sluice.worker.intake;

import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BooleanSupplier;
import java.util.function.IntSupplier;

/**
 * Whether the worker takes anything new. Thread-safe.
 *
 * @param slotsNow how many requests run at once; may change from call to call
 * @param draining whether the worker is to stop
 * @param engineUp whether the engine answers
 */
public record Admission(IntSupplier slotsNow, AtomicBoolean draining, BooleanSupplier engineUp) {

  /** An admission with a fixed number of slots. */
  public Admission(int slots, AtomicBoolean draining, BooleanSupplier engineUp) {
    this(() -> slots, draining, engineUp);
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
}
