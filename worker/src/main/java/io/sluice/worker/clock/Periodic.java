package io.sluice.worker.clock;

import java.time.Duration;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Does something again and again, on a virtual thread of its own, with a pause after each time. A
 * failure, whatever it is, is logged and does not end it. Thread-safe.
 */
public final class Periodic implements AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(Periodic.class);

  /** What is done each time; an interruption ends it. */
  @FunctionalInterface
  public interface Action {
    void run() throws InterruptedException;
  }

  private final String name;
  private final Duration pause;
  private final Action action;
  private final Thread loop;

  /**
   * A loop that has not started.
   *
   * @param name of its thread, and in the log
   */
  public Periodic(String name, Duration pause, Action action) {
    this.name = name;
    this.pause = pause;
    this.action = action;
    this.loop = Thread.ofVirtual().name(name).unstarted(this::run);
  }

  /** Begins; may be called once. */
  public void start() {
    loop.start();
  }

  /** Ends the loop. What it is doing is interrupted. */
  @Override
  public void close() {
    loop.interrupt();
  }

  private void run() {
    try {
      while (true) {
        act();
        Thread.sleep(pause);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private void act() throws InterruptedException {
    try {
      action.run();
    } catch (RuntimeException | Error e) {
      log.error("event=loop_broken loop={}", name, e);
    }
  }
}
