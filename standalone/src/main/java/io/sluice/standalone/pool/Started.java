package io.sluice.standalone.pool;

import io.sluice.standalone.backend.BackendStartException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The started parts, which are stopped in reverse order. A stop waits for parts that are starting,
 * and stops them too. Thread-safe.
 */
final class Started implements AutoCloseable {
  /** A supervisor kills the process after a minute, and the stop takes some of that. */
  private static final Duration STARTS_WITHIN = Duration.ofSeconds(20);

  private static final Logger log = LoggerFactory.getLogger(Started.class);

  private final Deque<AutoCloseable> parts = new ArrayDeque<>();
  private int starting;
  private boolean isClosing;
  private boolean isClosed;

  /**
   * Starts a part and adds it.
   *
   * @throws BackendStartException if the parts have been stopped meanwhile; this one is stopped too
   */
  <T extends AutoCloseable> T start(Supplier<T> start) {
    begin();
    try {
      return add(start.get());
    } finally {
      end();
    }
  }

  private synchronized void begin() {
    if (isClosing) {
      throw stopped();
    }
    starting++;
  }

  private synchronized <T extends AutoCloseable> T add(T part) {
    parts.push(part);
    if (isClosed) {
      closeParts();
    }
    if (isClosing) {
      throw stopped();
    }
    return part;
  }

  private synchronized void end() {
    starting--;
    notifyAll();
  }

  private static BackendStartException stopped() {
    return new BackendStartException("the pool was stopped before it had started");
  }

  @Override
  public synchronized void close() {
    isClosing = true;
    awaitStarts();
    isClosed = true;
    closeParts();
  }

  private synchronized void awaitStarts() {
    long end = System.nanoTime() + STARTS_WITHIN.toNanos();
    try {
      while (starting > 0) {
        long left = Duration.ofNanos(end - System.nanoTime()).toMillis();
        if (left <= 0) {
          log.warn("event=stop_before_start parts={}", starting);
          return;
        }
        wait(left);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private synchronized void closeParts() {
    while (!parts.isEmpty()) {
      AutoCloseable part = parts.pop();
      try {
        part.close();
      } catch (Exception e) {
        log.warn(
            "event=stop_failed part={} reason=\"{}\"",
            part.getClass().getSimpleName(),
            e.getMessage());
      }
    }
  }
}
