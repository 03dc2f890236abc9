package io.sluice.worker.watchdog;

import io.sluice.worker.clock.Ticker;
import io.sluice.worker.health.EngineMonitor;
import io.sluice.worker.health.EngineState;
import io.sluice.worker.intake.Drain;
import io.sluice.worker.warmup.EngineEntry;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Restarts the engine in order: permit, drain, restart, boot, and the entry of the new engine.
 * After two failures in a row it stops. It then keeps the permit, so that other workers do not run
 * into the same failure, until the engine has been repaired, that is, until another engine process
 * answers. For one thread.
 */
final class EngineRestart {
  private static final int TRIES = 2;
  private static final Duration POLL = Duration.ofMillis(250);

  /** Before an action that was not let through is asked for again. */
  private static final Duration REFUSAL = Duration.ofSeconds(10);

  /** An engine that still answers after that long, as the same process, was not restarted. */
  private static final Duration STILL_THERE = Duration.ofMinutes(2);

  private static final Logger log = LoggerFactory.getLogger(EngineRestart.class);

  /** What is done at present. */
  enum Step {
    NONE,
    DRAINING,
    RESTARTING,
    BOOTING,
    WARMING_UP,
    FAILED
  }

  private final EngineMonitor monitor;
  private final Permit permit;
  private final Drain drain;
  private final RestartAction action;
  private final EngineEntry entry;
  private final Duration bootTimeout;
  private final Ticker ticker;
  private final AtomicLong restarts = new AtomicLong();
  private volatile Step step = Step.NONE;

  /**
   * A restart that can be repeated.
   *
   * @param bootTimeout how long the engine may take until it answers
   */
  EngineRestart(
      EngineMonitor monitor,
      Permit permit,
      Drain drain,
      RestartAction action,
      EngineEntry entry,
      Duration bootTimeout,
      Ticker ticker) {
    this.monitor = monitor;
    this.permit = permit;
    this.drain = drain;
    this.action = action;
    this.entry = entry;
    this.bootTimeout = bootTimeout;
    this.ticker = ticker;
  }

  /** Returns what is done at present; for any thread. */
  Step step() {
    return step;
  }

  /** Restarts that did not fail; for any thread. */
  long restarts() {
    return restarts.get();
  }

  /**
   * Restarts the engine, unless there is no permit or the action is not let through; returns when
   * the worker takes requests again. Interrupted, because the worker ends, it leaves everything as
   * it is: a permit ends by itself.
   */
  void run(String cause) throws InterruptedException {
    if (!permit.hold()) {
      return;
    }
    if (!action.isAllowed()) {
      permit.release();
      log.info("event=engine_restart_refused cause={} again_s={}", cause, REFUSAL.toSeconds());
      Thread.sleep(REFUSAL);
      return;
    }
    boolean isLeft = false;
    var renewal = Thread.ofVirtual().name("sluice-restart-permit").start(this::renew);
    try {
      log.warn("event=engine_restart cause={} step=drain", cause);
      step = Step.DRAINING;
      long life = monitor.state().life();
      drain.beforeRestart();
      boolean isRestarted = false;
      for (int attempt = 1; attempt <= TRIES && !isRestarted; attempt++) {
        isRestarted = isRestarted(cause, life);
      }
      if (isRestarted) {
        restarts.incrementAndGet();
      } else {
        awaitRepair(life);
      }
      step = Step.WARMING_UP;
      awaitEntry();
      log.warn("event=engine_restarted cause={} as_ordered={}", cause, isRestarted);
    } catch (InterruptedException e) {
      isLeft = true;
      throw e;
    } finally {
      renewal.interrupt();
      step = Step.NONE;
      if (!isLeft) {
        drain.restarted();
        permit.release();
      }
    }
  }

  /** An engine that goes during its warm-up is not waited for. */
  private void awaitEntry() throws InterruptedException {
    while (entry.isWarmingUp()) {
      Thread.sleep(POLL);
    }
  }

  private void renew() {
    try {
      while (true) {
        Thread.sleep(TierPermit.LIFE.dividedBy(4));
        permit.hold();
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private boolean isRestarted(String cause, long life) throws InterruptedException {
    try {
      step = Step.RESTARTING;
      log.info("event=engine_restart cause={} step=restart", cause);
      entry.expectRestart();
      action.restart(cause);
      step = Step.BOOTING;
      awaitBoot(life);
      return true;
    } catch (RestartFailedException e) {
      log.error("event=engine_restart_failed cause={} reason=\"{}\"", cause, e.getMessage());
      return false;
    }
  }

  private void awaitBoot(long life) throws RestartFailedException, InterruptedException {
    long start = ticker.nanos();
    long upSince = start;
    while (ticker.since(start).compareTo(bootTimeout) < 0) {
      EngineState engine = monitor.state();
      if (engine.up() && engine.life() != life) {
        return;
      }
      if (!engine.up()) {
        upSince = ticker.nanos();
      }
      if (ticker.since(upSince).compareTo(STILL_THERE) > 0) {
        throw new RestartFailedException("the engine was not restarted: it still answers");
      }
      Thread.sleep(POLL);
    }
    throw new RestartFailedException(
        "the engine did not answer within %d s".formatted(bootTimeout.toSeconds()));
  }

  /** An engine that still answers, though it is worse than it was, is used meanwhile. */
  private void awaitRepair(long life) throws InterruptedException {
    step = Step.FAILED;
    drain.restarted();
    log.error("event=watchdog_stopped until=\"another engine process answers\"");
    while (!monitor.state().up() || monitor.state().life() == life) {
      Thread.sleep(POLL);
    }
  }
}
