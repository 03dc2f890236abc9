package io.sluice.worker.clock;

import java.time.Duration;

/** A monotonic clock. With it, waits and ages do not depend on the wall clock. Thread-safe. */
@FunctionalInterface
public interface Ticker {

  /** Returns the machine's monotonic clock. */
  static Ticker system() {
    return System::nanoTime;
  }

  /** Nanoseconds since an arbitrary fixed moment; only differences have a meaning. */
  long nanos();

  /** Returns the time since an earlier reading. */
  default Duration since(long earlierNanos) {
    return Duration.ofNanos(nanos() - earlierNanos);
  }
}
