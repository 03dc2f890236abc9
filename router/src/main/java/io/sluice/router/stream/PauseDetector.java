package io.sluice.router.stream;

import java.time.Duration;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * Counts how often the whole process did not run for so long that its tasks may be another's by
 * now: it was stopped, or its machine slept. It has a thread of its own, so that a task that waits
 * long for its turn, while others of its thread restore or work, does not look like one.
 * Thread-safe.
 */
public final class PauseDetector implements AutoCloseable {
  /** Half the time after which a router that says nothing loses its tasks. */
  static final Duration LONG = Duration.ofSeconds(3);

  private static final Duration BEAT = Duration.ofMillis(250);

  private final LongSupplier nanoClock;
  private final Runnable onClose;
  private long beatNanos;
  private long pauses;

  /** A watch whose {@link #pauses} somebody asks for at least every second. */
  PauseDetector(LongSupplier nanoClock) {
    this(nanoClock, () -> {});
  }

  private PauseDetector(LongSupplier nanoClock, Runnable onClose) {
    this.nanoClock = nanoClock;
    this.onClose = onClose;
    this.beatNanos = nanoClock.getAsLong();
  }

  /** A watch at work. */
  public static PauseDetector start() {
    ScheduledExecutorService beats =
        Executors.newSingleThreadScheduledExecutor(
            Thread.ofPlatform().daemon().name("pause-watch").factory());
    var watch = new PauseDetector(System::nanoTime, beats::shutdownNow);
    var _ =
        beats.scheduleWithFixedDelay(
            watch::pauses, BEAT.toMillis(), BEAT.toMillis(), TimeUnit.MILLISECONDS);
    return watch;
  }

  /** How many long pauses there were so far, one that is just over included. */
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
