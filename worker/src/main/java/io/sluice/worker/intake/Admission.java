package io.sluice.worker.intake;

import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BooleanSupplier;

/**
 * Whether the worker takes anything new. Thread-safe.
 *
 * @param slots how many requests run at once
 * @param draining whether the worker is to stop
 * @param engineUp whether the engine answers
 */
public record Admission(int slots, AtomicBoolean draining, BooleanSupplier engineUp) {

  /**
   * The most that is held: a tenth over the slots, since routers decide on a view that is a
   * heartbeat old.
   */
  public int limit() {
    return slots + slots / 10;
  }
}
