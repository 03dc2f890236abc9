package io.sluice.simulator.fit;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/** Sends a load to an engine, each request at its time, and samples the engine's metrics. */
final class LoadRun {

  private static final Duration INTERVAL = Duration.ofMillis(100);
  private static final int WARM_UPS = 20;

  private final MeasuredEngine engine;
  private final List<Double> running = Collections.synchronizedList(new ArrayList<>());
  private final List<Double> waiting = Collections.synchronizedList(new ArrayList<>());

  private LoadRun(MeasuredEngine engine) {
    this.engine = engine;
  }

  /**
   * Runs a load to its end.
   *
   * @throws IllegalStateException if a request fails or takes longer than {@link
   *     MeasuredEngine#PATIENCE}
   */
  static LoadResult of(MeasuredEngine engine, Load load) {
    return new LoadRun(engine).run(load);
  }

  private LoadResult run(Load load) {
    warmUp();
    MetricsPage before = engine.metrics();
    List<TokenTimes> streams;
    try (ScheduledExecutorService sampler = Executors.newSingleThreadScheduledExecutor()) {
      var _ =
          sampler.scheduleWithFixedDelay(this::sample, 0, INTERVAL.toNanos(), TimeUnit.NANOSECONDS);
      try {
        streams = send(load).stream().map(MeasuredEngine::join).toList();
      } finally {
        sampler.shutdownNow();
      }
    }
    MetricsPage after = engine.metrics();
    double queried = grown(before, after, "vllm:prefix_cache_queries_total");
    return new LoadResult(
        streams,
        List.copyOf(running),
        List.copyOf(waiting),
        grown(before, after, "vllm:num_preemptions_total"),
        queried == 0 ? 0 : grown(before, after, "vllm:prefix_cache_hits_total") / queried);
  }

  /** Warms up connections and compiled code on both sides. */
  private void warmUp() {
    Prompts prompts = new Prompts(System.nanoTime());
    for (int i = 0; i < WARM_UPS; i++) {
      List<CompletableFuture<TokenTimes>> pair =
          List.of(engine.stream(prompts.next(16), 8), engine.stream(prompts.next(64), 8));
      pair.forEach(MeasuredEngine::join);
    }
  }

  private List<CompletableFuture<TokenTimes>> send(Load load) {
    List<CompletableFuture<TokenTimes>> streams = new ArrayList<>();
    long start = System.nanoTime();
    for (Load.Arrival arrival : load.arrivals()) {
      long left = start + arrival.atNanos() - System.nanoTime();
      while (left > 0) {
        LockSupport.parkNanos(this, left);
        left = start + arrival.atNanos() - System.nanoTime();
      }
      streams.add(engine.stream(arrival.prompt(), arrival.outputTokens()));
    }
    return streams;
  }

  private void sample() {
    try {
      MetricsPage page = engine.metrics();
      running.add(page.sum("vllm:num_requests_running"));
      waiting.add(page.sum("vllm:num_requests_waiting"));
    } catch (RuntimeException e) {
      // A failed sample is skipped. A permanent failure also fails the streams.
    }
  }

  private static double grown(MetricsPage before, MetricsPage after, String series) {
    return after.sum(series) - before.sum(series);
  }
}
