package io.sluice.standalone.verify.pressure;

import io.sluice.fleet.WorkerSnapshot;
import io.sluice.producer.client.SluiceClient;
import io.sluice.simulator.fit.MetricsPage;
import io.sluice.standalone.pool.LocalPool;
import io.sluice.standalone.verify.pool.CuttingProxy;
import io.sluice.standalone.verify.pool.EngineFigures;
import io.sluice.standalone.verify.pool.Finding;
import io.sluice.standalone.verify.pool.PoolWatch;
import io.sluice.standalone.verify.pool.PoolWatch.Seen;
import io.sluice.verify.http.EngineClient;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.BiConsumer;

/**
 * Checks of a pool with one worker whose engine is short of memory; for engines whose memory can be
 * filled. For one thread.
 */
public final class PressureChecks {
  private static final Duration COUNTED_WITHIN = Duration.ofSeconds(10);

  private final LocalPool pool;
  private final SluiceClient client;
  private final CuttingProxy proxy;
  private final EngineClient engine;
  private final Optional<String> apiKey;
  private final String model;

  public PressureChecks(
      LocalPool pool,
      SluiceClient client,
      CuttingProxy proxy,
      EngineClient engine,
      Optional<String> apiKey,
      String model) {
    this.pool = pool;
    this.client = client;
    this.proxy = proxy;
    this.engine = engine;
    this.apiKey = apiKey;
    this.model = model;
  }

  /** Runs all checks, or tells why not; reports each finding with its name. */
  public void run(long seed, BiConsumer<String, Finding> findings) throws InterruptedException {
    int port = pool.workers().getFirst().httpPort();
    try (PoolWatch watch = new PoolWatch(engine, pool.redis());
        EngineClient worker =
            new EngineClient(URI.create("http://127.0.0.1:" + port), Optional.empty())) {
      PoolWatch.becomesTrue(() -> !watch.told().isEmpty(), COUNTED_WITHIN);
      int context = watch.told().isEmpty() ? 0 : watch.told().getFirst().what().maxModelLen();
      Optional<KvCache> cache =
          EngineFigures.page(engine).flatMap(page -> KvCache.of(page, context));
      if (cache.isEmpty()) {
        findings.accept(
            "under memory pressure",
            Finding.skipped(
                "the engine has no vLLM metrics of its KV cache; start vLLM without"
                    + " --disable-log-stats"));
      } else if (!cache.get().isSmall()) {
        findings.accept(
            "under memory pressure",
            Finding.skipped(
                "a KV cache of %,d tokens takes too long to fill; start the engine with %s"
                    .formatted(cache.get().tokens(), cache.get().flags())));
      } else {
        run(watch, worker, cache.get(), seed, findings);
      }
    }
  }

  private void run(
      PoolWatch watch,
      EngineClient worker,
      KvCache cache,
      long seed,
      BiConsumer<String, Finding> findings)
      throws InterruptedException {
    List<Seen<EngineFigures>> pages = new CopyOnWriteArrayList<>();
    proxy.readMetrics(
        text ->
            EngineFigures.of(new MetricsPage(text)).ifPresent(page -> pages.add(Seen.now(page))));
    findings.accept(
        "memory breaker",
        new MemoryBreakerCheck(watch, () -> DirectLoad.start(engine.base(), apiKey, model, cache))
            .run());
    int before = watch.told().size();
    findings.accept(
        "eviction", new EvictionCheck(client, engine, worker, watch, model, cache, seed).run());
    findings.accept("counters", counters(worker));
    List<Seen<WorkerSnapshot>> told = watch.told();
    findings.accept("figures", new FiguresCheck(pages, told).run());
    findings.accept(
        "tokens in use",
        new TokensCheck(cache, watch.looked()).run(told.subList(before, told.size())));
  }

  /** Returns the engine's counters once they have stopped changing. */
  private Finding counters(EngineClient worker) throws InterruptedException {
    return PoolWatch.becomesTrue(() -> ofWorker(worker).equals(ofEngine()), COUNTED_WITHIN)
        ? Finding.kept("the worker reports the engine's %s".formatted(ofEngine()))
        : Finding.broken(
            "expected the worker to report the engine's %s; it reports %s"
                .formatted(ofEngine(), ofWorker(worker)));
  }

  private String ofEngine() {
    return EngineFigures.ask(engine)
        .map(figures -> counters(figures.preemptions(), figures.cachedTokens()))
        .orElse("(no answer)");
  }

  private static String ofWorker(EngineClient worker) {
    MetricsPage page = new MetricsPage(worker.get("/prometheus").body());
    return counters(
        page.sum("sluice_worker_engine_preemptions_total"),
        page.sum("sluice_worker_engine_cached_tokens_total"));
  }

  private static String counters(double preemptions, double cachedTokens) {
    return "%.0f preemptions, %.0f cached prompt tokens".formatted(preemptions, cachedTokens);
  }
}
