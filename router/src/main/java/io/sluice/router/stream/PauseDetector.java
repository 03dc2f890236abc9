package io.sluice.router.stream;

import io.sluice.common.time.RepeatingThread;
import java.time.Duration;
import java.util.function.LongSupplier;

/**
 * Counts how often the whole process was paused for so long that other processes may own its tasks
 * now, because it was stopped or its machine slept. It runs on its own thread. So a task that waits
 * for its turn, while other tasks of its thread restore or work, does not count as a pause.
 * Thread-safe.
 */
public final class PauseDetector implements AutoCloseable {
  /** Half the session timeout, after which a silent router loses its tasks. */
  static final Duration LONG = Duration.ofSeconds(3);

  private static final Duration BEAT = Duration.ofMillis(250);

  private final LongSupplier nanoClock;
  private final Runnable onClose;
  private long beatNanos;
  private long pauses;

  /** Creates a detector whose {@link #pauses} the caller reads at least every second. */
  PauseDetector(LongSupplier nanoClock) {
    this(nanoClock, () -> {});
  }

  private PauseDetector(LongSupplier nanoClock, Runnable onClose) {
    this.nanoClock = nanoClock;
    this.onClose = onClose;
    this.beatNanos = nanoClock.getAsLong();
  }

  /** Creates a detector with its own thread. */
  public static PauseDetector start() {
    var beats = new RepeatingThread("pause-watch");
    var watch = new PauseDetector(System::nanoTime, beats::close);
    var _ = beats.repeat(BEAT, BEAT, watch::pauses);
    return watch;
  }

  /** Returns the number of long pauses so far, including one that has just ended. */
  public synchronized long pauses() {
    long now = nanoClock.getAsLong();
    if (now - beatNanos > LONG.toNanos()) {
      pauses++;
    }
    beatNanos = now;
    return pauses;
  }

  @Override
  public void close() {
    onClose.run();
  }
}
