package io.sluice.simulator.serving;

import io.sluice.simulator.engine.Engine;
import io.sluice.simulator.engine.EngineConfig;
import io.sluice.simulator.engine.StepResult;
import io.sluice.simulator.metrics.ServerMetrics;
import io.sluice.simulator.text.TokenIds;
import io.sluice.simulator.text.Tokenizer;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Runs an engine in real time on one thread, which parks while there is nothing to do.
 *
 * <p>The outputs of a step are delivered when the time of the step is over. New requests,
 * cancellations and all other commands take effect between two steps. If the machine is late, later
 * steps start on schedule as far as {@link #CATCH_UP} allows, so that the mean rate is the modelled
 * one. Thread-safe. As in vLLM, the number of waiting requests is not limited here.
 */
public final class EngineDriver {

  private static final Logger log = LoggerFactory.getLogger(EngineDriver.class);

  private static final long CATCH_UP = Duration.ofMillis(20).toNanos();

  private final ChoiceFactory choices;
  private final ServedEngine served;
  private final String model;
  private final ServerMetrics metrics;
  private final Pause pause = new Pause();
  private final CompletableFuture<Void> drained = new CompletableFuture<>();
  private final CommandThread thread;

  /** Runs tasks after the time that a request takes to reach the engine. */
  private final Executor onItsWay;

  private boolean draining;
  private volatile boolean dead;
  private volatile int sleepLevel;

  /**
   * Creates a driver. {@link #start} runs it.
   *
   * @param model the model name, which determines the generated text
   */
  public EngineDriver(
      EngineConfig config, Tokenizer tokenizer, String model, ServerMetrics metrics) {
    this.choices = new ChoiceFactory(config, tokenizer, model);
    this.served = new ServedEngine(new Engine(config), config.scheduling().maxLoras() > 0, metrics);
    this.model = model;
    this.metrics = metrics;
    this.thread = new CommandThread("engine-" + model, this::run);
    this.onItsWay = onItsWay(config.timing().requestNanos());
  }

  /** Starts the thread. */
  public void start() {
    thread.start();
  }

  /**
   * Starts generation for one or more prompts. Each must leave room for output in the context.
   *
   * @param listener receives the outputs of all choices
   */
  public Submission submit(List<TokenIds> prompts, SamplingParams params, OutputListener listener) {
    long arrivalNanos = System.nanoTime();
    List<ActiveChoice> submitted = choices.choices(prompts, params, listener, arrivalNanos);
    submitted.forEach(choice -> served.pendingWork().arrived(choice.request().prompt().size()));
    onItsWay.execute(() -> thread.execute(() -> submitted.forEach(this::enter)));
    return () -> thread.execute(() -> submitted.forEach(served::leave));
  }

  /**
   * Returns the work that was submitted and is not done. It is updated by {@link #submit}, before
   * any step.
   */
  public PendingWork pendingWork() {
    return served.pendingWork();
  }

  /**
   * Pauses the engine. New requests are queued until {@link #resume}.
   *
   * @param clearCache whether to empty the prefix cache and to preempt the sequences that are kept
   * @return completes on the driver's thread when the engine is idle
   */
  public CompletableFuture<Void> pause(PauseMode mode, boolean clearCache) {
    CompletableFuture<Void> reached = new CompletableFuture<>();
    thread.execute(
        () -> {
          if (mode == PauseMode.ABORT) {
            served.abortAll();
          }
          boolean whenEmpty = mode == PauseMode.WAIT && !served.isEmpty();
          pause.begin(whenEmpty, reached, () -> clear(clearCache, clearCache));
        });
    return reached;
  }

  /** Resumes after a pause or a sleep. */
  public void resume() {
    sleepLevel = 0;
    metrics.setSleepLevel(0);
    thread.execute(pause::end);
  }

  /** Returns whether a pause or a sleep was requested and has not ended. */
  public boolean isPaused() {
    return pause.isPaused();
  }

  /**
   * Puts the engine to sleep. Sleep is a pause that drops the KV cache from level 1 on.
   *
   * @param level 0 for a pause only, 1 to move the weights to the CPU, 2 to drop them
   * @return completes on the driver's thread when the engine is idle
   */
  public CompletableFuture<Void> sleep(int level, PauseMode mode) {
    sleepLevel = level;
    metrics.setSleepLevel(level);
    return pause(mode, level > 0);
  }

  /** Returns whether the engine sleeps at level 1 or 2. */
  public boolean isSleeping() {
    return sleepLevel > 0;
  }

  /**
   * Empties the prefix cache before the next step. Without {@code preemptRunning}, this happens
   * only if no block is in use at that time.
   */
  public void resetPrefixCache(boolean preemptRunning) {
    thread.execute(() -> clear(true, preemptRunning));
  }

  /** Multiplies the time of all following steps by a factor; 1 is normal. */
  public void slowBy(double factor) {
    thread.execute(() -> served.engine().slowBy(factor));
  }

  /** Takes a number of KV blocks out of use permanently, or as many as are free. */
  public void leakBlocks(int count) {
    thread.execute(() -> served.engine().leakBlocks(count));
  }

  /** Makes the engine die: all requests, current and later ones, end with {@code error}. */
  public void die() {
    dead = true;
    thread.execute(served::die);
  }

  /** Returns whether the engine has died. */
  public boolean isDead() {
    return dead;
  }

  /**
   * Answers new requests with {@code abort} and lets the current ones finish.
   *
   * @return completes on the driver's thread when no request is left
   */
  public CompletableFuture<Void> drain() {
    thread.execute(
        () -> {
          draining = true;
          served.refuse();
        });
    return drained;
  }

  /**
   * Ends all current and later requests with {@code abort} until {@link #halt}. Returns when their
   * listeners were called, or after a second.
   */
  public void shutDown() {
    CompletableFuture<Void> done = new CompletableFuture<>();
    thread.execute(
        () -> {
          pause.end();
          served.refuse();
          served.abortAll();
          done.complete(null);
        });
    thread.skipSleeps();
    try {
      done.get(1, TimeUnit.SECONDS);
    } catch (TimeoutException | ExecutionException e) {
      log.warn("event=shutdown_late model={}", model);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** Stops the thread between two steps without notifying listeners. Waits for at most a second. */
  public void halt() {
    thread.halt();
  }

  private static Executor onItsWay(long nanos) {
    return nanos == 0
        ? Runnable::run
        : CompletableFuture.delayedExecutor(nanos, TimeUnit.NANOSECONDS, Runnable::run);
  }

  private void enter(ActiveChoice choice) {
    pause.admit(() -> served.enter(choice, System.nanoTime()));
  }

  private void clear(boolean wanted, boolean preemptRunning) {
    if (wanted) {
      served.engine().resetPrefixCache(preemptRunning);
    }
  }

  private void run() {
    long scheduleNanos = System.nanoTime();
    while (!thread.isHalted()) {
      boolean changed = thread.runCommands();
      scheduleNanos = Math.max(scheduleNanos, System.nanoTime() - CATCH_UP);
      long stepNanos = pause.holds() ? 0 : step(scheduleNanos);
      scheduleNanos += stepNanos;
      notifyIfEmpty();
      if (stepNanos == 0) {
        if (changed) {
          served.measure();
        }
        thread.parkUntilCommanded();
        scheduleNanos = System.nanoTime();
      }
    }
  }

  /** Runs a step and waits for its end. Returns its time, or 0 if there was nothing to compute. */
  private long step(long startNanos) {
    if (!served.engine().hasWork()) {
      return 0;
    }
    StepResult result = served.engine().step(startNanos);
    if (result.durationNanos() == 0) {
      return 0;
    }
    thread.sleepUntil(startNanos + result.durationNanos());
    if (!thread.isHalted()) {
      served.deliver(result, System.nanoTime());
    }
    return result.durationNanos();
  }

  private void notifyIfEmpty() {
    if (served.isEmpty()) {
      pause.engineIsEmpty();
      if (draining) {
        drained.complete(null);
      }
    }
  }
}
