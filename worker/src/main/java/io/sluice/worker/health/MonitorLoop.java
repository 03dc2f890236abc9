package io.sluice.worker.health;

import io.sluice.worker.engine.EngineCheck;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Probes the engine at an interval, and at once on request, on a thread of its own. Thread-safe.
 */
public final class MonitorLoop implements EngineCheck, AutoCloseable {
  private static final Duration LEAST_BETWEEN = Duration.ofMillis(200);
  private static final Logger log = LoggerFactory.getLogger(MonitorLoop.class);

  private final EngineWatch watch;
  private final Duration interval;
  private final BreakerMonitor breaker;
  private final BlockingQueue<CompletableFuture<Condition>> asked = new LinkedBlockingQueue<>();
  private volatile boolean isClosed;

  public MonitorLoop(EngineWatch watch, BreakerMonitor breaker, Duration interval) {
    this.watch = watch;
    this.breaker = breaker;
    this.interval = interval;
  }

  /** Starts the probes. */
  public void start() {
    Thread.ofVirtual().name("sluice-engine-monitor").start(this::run);
  }

  /** After the loop has ended the engine counts as up, because nothing else is known. */
  @Override
  public CompletableFuture<Condition> condition() {
    var answer = new CompletableFuture<Condition>();
    asked.add(answer);
    if (isClosed) {
      answer.complete(Condition.UP);
    }
    return answer;
  }

  @Override
  public long life() {
    return watch.life();
  }

  /** Ends the loop; a probe in progress ends by its own time limit. */
  @Override
  public void close() {
    isClosed = true;
    asked.add(new CompletableFuture<>());
  }

  /** Keeps probes apart: two that fail within a moment prove no more than one. */
  private void awaitNext(List<CompletableFuture<Condition>> waiting) throws InterruptedException {
    long least = Math.min(LEAST_BETWEEN.toMillis(), interval.toMillis());
    Thread.sleep(least);
    @Nullable CompletableFuture<Condition> next =
        asked.poll(interval.toMillis() - least, TimeUnit.MILLISECONDS);
    if (next != null) {
      waiting.add(next);
    }
  }

  /**
   * A caller that asks has a reason to doubt the state, so the engine is identified again. An
   * unexpected exception does not end the loop.
   */
  private Condition probe(boolean isDoubted) throws InterruptedException {
    try {
      EngineState state = isDoubted ? watch.probeAndIdentify() : watch.probe();
      breaker.probed(state, watch.streaming());
      return state.condition();
    } catch (RuntimeException e) {
      log.error("event=engine_probe_broken", e);
      return Condition.UP;
    }
  }

  private void run() {
    List<CompletableFuture<Condition>> waiting = new ArrayList<>();
    try {
      while (!isClosed) {
        asked.drainTo(waiting);
        Condition condition = probe(!waiting.isEmpty());
        waiting.forEach(answer -> answer.complete(condition));
        waiting.clear();
        awaitNext(waiting);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } finally {
      isClosed = true;
      asked.drainTo(waiting);
      waiting.forEach(answer -> answer.complete(Condition.UP));
    }
  }
}
