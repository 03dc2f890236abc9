package io.sluice.worker.limit;

import java.util.function.IntSupplier;

/**
 * Lowers a limit while a GPU is hot: by a fifth with each reading, to a quarter at least.
 * Afterwards it rises by a tenth with each reading. {@link #lower} and {@link #raise} are for one
 * thread, the rest for any.
 */
public final class HeatLimit {
  private static final double CUT = 0.8;
  private static final double GROWTH = 1.1;
  private static final double LEAST = 0.25;

  private final IntSupplier full;
  private volatile double share = 1;

  /** A limit at its full value. */
  public HeatLimit(IntSupplier full) {
    this.full = full;
  }

  /** A reading found a hot GPU. */
  public void lower() {
    share = Math.max(LEAST, share * CUT);
  }

  /** A reading found no hot GPU, or there was none. */
  public void raise() {
    share = Math.min(1, share * GROWTH);
  }

  /** Returns the part of the full value that is left, from a quarter to 1. */
  public double share() {
    return share;
  }

  /** Returns the limit now; at least 1. */
  public int limit() {
    return Math.max(1, (int) Math.round(full.getAsInt() * share));
  }
}
