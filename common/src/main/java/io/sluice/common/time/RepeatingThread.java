package io.sluice.common.time;

import java.time.Duration;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A background thread that runs tasks again and again until it is closed. A task that fails,
 * whatever it throws, is logged at intervals and runs again after the same pause. Thread-safe.
 */
public final class RepeatingThread implements AutoCloseable {
  private static final Duration LOG_INTERVAL = Duration.ofMinutes(1);
  private static final Logger log = LoggerFactory.getLogger(RepeatingThread.class);

  private final String name;
  private final LogInterval failureLog;
  private final ScheduledExecutorService executor;

  /** Creates a thread without tasks. */
  public RepeatingThread(String name) {
    this(name, System::nanoTime);
  }

  RepeatingThread(String name, LongSupplier nanoClock) {
    this.name = name;
    this.failureLog = new LogInterval(LOG_INTERVAL, nanoClock);
    this.executor =
        Executors.newSingleThreadScheduledExecutor(
            Thread.ofPlatform().daemon().name(name).factory());
  }

  /**
   * Runs a task until the result is cancelled or this thread is closed.
   *
   * @param first the time to the first run
   * @param pause the time between the end of a run and the start of the next one
   */
  public Future<?> repeat(Duration first, Duration pause, Runnable task) {
    return executor.scheduleWithFixedDelay(
        () -> run(task), first.toMillis(), pause.toMillis(), TimeUnit.MILLISECONDS);
  }

  private void run(Runnable task) {
    try {
      task.run();
    } catch (Throwable e) {
      // A task that is interrupted in the middle by the close has not failed.
      if (!executor.isShutdown() && failureLog.isDue()) {
        log.error(
            "event=thread_failed thread={} effect=\"it runs again at the next interval\"", name, e);
      }
    }
  }

  /** Interrupts a task that runs, and starts no other. Returns at once. */
  @Override
  public void close() {
    executor.shutdownNow();
  }
}
