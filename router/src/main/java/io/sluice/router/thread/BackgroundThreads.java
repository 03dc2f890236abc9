package io.sluice.router.thread;

import io.sluice.common.time.LogInterval;
import io.sluice.common.time.RepeatingThread;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentSkipListSet;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The threads of a router that work until they are closed. None ends unseen. A thread is
 * <em>essential</em> if requests depend on it: if it fails, only a restart of the router helps. Any
 * other thread only makes the router better, so it begins again and the router stays. What is done
 * periodically is done by a {@link RepeatingThread}. Thread-safe.
 */
public final class BackgroundThreads {
  static final Duration PAUSE = Duration.ofSeconds(1);

  private static final Duration LOG_INTERVAL = Duration.ofMinutes(1);
  private static final Logger log = LoggerFactory.getLogger(BackgroundThreads.class);

  private final Duration pause;
  private final LongSupplier nanoClock;
  private final Set<String> failed = new ConcurrentSkipListSet<>();

  public BackgroundThreads() {
    this(PAUSE, System::nanoTime);
  }

  /**
   * Creates an instance without threads.
   *
   * @param pause the time after which a thread begins again
   */
  BackgroundThreads(Duration pause, LongSupplier nanoClock) {
    this.pause = pause;
    this.nanoClock = nanoClock;
  }

  /**
   * Creates a thread that requests depend on, and does not start it.
   *
   * @param work returns when it is closed, and throws only if it cannot continue
   * @param owned what the thread closes at its end, in this order, each within a bounded time; a
   *     failure of the work is known before that, and a failure to close is none of the thread
   */
  public Thread essential(String name, Runnable work, AutoCloseable... owned) {
    return thread(
        name,
        () -> {
          runOnce(name, work);
          List.of(owned).forEach(each -> close(name, each));
        });
  }

  /**
   * Creates a thread that no request waits for, and does not start it.
   *
   * @param work returns when it is closed; begins again after anything that it throws
   */
  public Thread dispensable(String name, Runnable work) {
    return thread(name, () -> runAgain(name, work));
  }

  /** Returns the essential threads that have failed, by name. They do not begin again. */
  public Set<String> failed() {
    return Set.copyOf(failed);
  }

  private static Thread thread(String name, Runnable run) {
    return Thread.ofPlatform().daemon().name(name).unstarted(run);
  }

  private void runOnce(String name, Runnable work) {
    try {
      work.run();
    } catch (Throwable e) {
      failed.add(name);
      log.error(
          "event=thread_failed thread={} effect=\"the router's liveness fails until it is restarted\"",
          name,
          e);
    }
  }

  private static void close(String name, AutoCloseable owned) {
    try {
      owned.close();
    } catch (Throwable e) {
      log.warn("event=close_failed thread={} reason=\"{}\"", name, e.toString());
    }
  }

  private void runAgain(String name, Runnable work) {
    var failureLog = new LogInterval(LOG_INTERVAL, nanoClock);
    while (!hasEnded(name, work, failureLog)) {
      try {
        Thread.sleep(pause);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        return;
      }
    }
  }

  private boolean hasEnded(String name, Runnable work, LogInterval failureLog) {
    try {
      work.run();
      return true;
    } catch (Throwable e) {
      if (failureLog.isDue()) {
        log.error(
            "event=thread_failed thread={} effect=\"it begins again after {} s\"",
            name,
            pause.toSeconds(),
            e);
      }
      return false;
    }
  }
}
