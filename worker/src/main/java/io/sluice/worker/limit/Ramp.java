package io.sluice.worker.limit;

import io.sluice.worker.clock.Ticker;
import java.time.Duration;
import java.util.OptionalLong;
import java.util.function.IntSupplier;

/**
 * Raises a limit evenly from an eighth to its full value after an engine has restarted: its caches
 * are empty, so all first requests need their whole prompts computed. Thread-safe.
 */
public final class Ramp {
  private static final double FIRST = 1.0 / 8;

  private final IntSupplier full;
  private final Duration length;
  private final Ticker ticker;
  private volatile OptionalLong began = OptionalLong.empty();

  /** A limit at its full value. */
  public Ramp(IntSupplier full, Duration length, Ticker ticker) {
    this.full = full;
    this.length = length;
    this.ticker = ticker;
  }

  /** Begins at an eighth. */
  public void begin() {
    began = OptionalLong.of(ticker.nanos());
  }

  /** Returns the limit now; at least 1. */
  public int limit() {
    OptionalLong start = began;
    int most = full.getAsInt();
    if (start.isEmpty() || length.isZero()) {
      return most;
    }
    double passed = (double) ticker.since(start.getAsLong()).toNanos() / length.toNanos();
    if (passed >= 1) {
      began = OptionalLong.empty();
      return most;
    }
    return Math.max(1, (int) Math.round(most * (FIRST + (1 - FIRST) * passed)));
  }
}
