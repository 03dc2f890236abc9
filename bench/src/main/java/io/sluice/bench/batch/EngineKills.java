package io.sluice.bench.batch;

import io.sluice.bench.process.EngineProcess;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;

/**
 * Kills engines in turn and starts them again. An engine is killed when another part of the lines
 * is finished and it has requests in flight. Not thread-safe.
 */
final class EngineKills implements AutoCloseable {
  /** Long enough for the remaining processes of an engine to exit by themselves. */
  private static final Duration LEFT_ALONE = Duration.ofSeconds(20);

  private final List<EngineProcess> engines;
  private final BatchRun.Options options;
  private final Consumer<String> progress;
  private final ExecutorService starters = Executors.newVirtualThreadPerTaskExecutor();
  private final Map<EngineProcess, Future<?>> restarts = new HashMap<>();
  private final List<String> done = new ArrayList<>();

  /** Plans the kills; none is done yet. */
  EngineKills(List<EngineProcess> engines, BatchRun.Options options, Consumer<String> progress) {
    this.engines = List.copyOf(engines);
    this.options = options;
    this.progress = progress;
  }

  /** Kills the next engine if it is time. */
  void killIfDue(int finished) throws IOException, InterruptedException {
    int kill = done.size();
    if (kill == options.kills() || finished < dueAt(kill)) {
      return;
    }
    EngineProcess victim = engines.get(kill % engines.size());
    if (!isUp(victim)) {
      return;
    }
    int running = victim.running();
    // The death of an idle engine would prove nothing.
    if (running > 0) {
      KillWay way = KillWay.of(kill, options.engines().isSimulated());
      way.kill(victim);
      done.add(
          "%s, %s, at %d of %d lines, with %d under way"
              .formatted(victim.name(), way.label(), finished, options.lines(), running));
      progress.accept("killed " + done.getLast());
      restarts.put(victim, starters.submit(() -> restart(victim)));
    }
  }

  /**
   * Spreads the kills evenly over the lines: the first of four happens when a fifth is finished.
   */
  private int dueAt(int kill) {
    return (int) ((kill + 1L) * options.lines() / (options.kills() + 1));
  }

  private boolean isUp(EngineProcess engine) throws IOException, InterruptedException {
    Future<?> restart = restarts.get(engine);
    if (restart == null) {
      return true;
    }
    if (restart.isDone()) {
      await(engine, restart);
    }
    return restart.isDone();
  }

  private Void restart(EngineProcess engine) throws IOException, InterruptedException {
    long killed = System.nanoTime();
    while (engine.isAlive() && System.nanoTime() - killed < LEFT_ALONE.toNanos()) {
      TimeUnit.MILLISECONDS.sleep(50);
    }
    engine.kill();
    engine.start();
    engine.awaitReady(options.engines().startWithin());
    double seconds = (System.nanoTime() - killed) / 1e9;
    progress.accept("%s is back after %.1f s".formatted(engine.name(), seconds));
    return null;
  }

  /**
   * Waits until all engines are back.
   *
   * @throws IOException if an engine does not start again
   */
  void awaitRestarts() throws IOException, InterruptedException {
    for (Map.Entry<EngineProcess, Future<?>> restart : restarts.entrySet()) {
      await(restart.getKey(), restart.getValue());
    }
  }

  private void await(EngineProcess engine, Future<?> restart)
      throws IOException, InterruptedException {
    Duration limit = options.engines().startWithin().plus(LEFT_ALONE).plus(LEFT_ALONE);
    try {
      restart.get(limit.toMillis(), TimeUnit.MILLISECONDS);
    } catch (ExecutionException | TimeoutException e) {
      throw new IOException(engine.name() + " did not start again: " + e.getMessage(), e);
    }
  }

  /** Returns the kills so far, as text. */
  List<String> done() {
    return List.copyOf(done);
  }

  @Override
  public void close() {
    starters.shutdownNow();
    starters.close();
  }
}
