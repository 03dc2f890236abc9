package io.sluice.worker.app;

import io.sluice.worker.health.EngineCount;
import io.sluice.worker.health.EngineMonitor;
import java.util.function.ToDoubleFunction;

/**
 * What a worker reports about its engine: the last scrape of the engine's own metrics. Thread-safe.
 */
final class EngineMeters {
  private final WorkerGauges gauges;
  private final EngineMonitor monitor;

  private EngineMeters(WorkerGauges gauges, EngineMonitor monitor) {
    this.gauges = gauges;
    this.monitor = monitor;
  }

  static void register(WorkerGauges gauges, EngineMonitor monitor) {
    var meters = new EngineMeters(gauges, monitor);
    meters.load();
    meters.totals();
    gauges.counter(
        "scrape.failures", "Failed checks of the engine", monitor, EngineMonitor::failedProbes);
  }

  private void load() {
    gauge(
        "kv.usage",
        "KV cache usage of the engine, 0 to 1; NaN if it is not known",
        m -> m.state().kvUsage().orElse(Double.NaN));
    gauge(
        "engine.running",
        "Requests in the engine's batches, from any client",
        m -> m.state().running());
    gauge(
        "engine.waiting",
        "Requests in the engine's queues, from any client",
        m -> m.state().waiting());
  }

  private void totals() {
    total(
        "prefill.tokens",
        "Prompt tokens that the engine has computed since its start",
        EngineCount.PREFILL_TOKENS);
    total(
        "cached.tokens",
        "Prompt tokens that came from the engine's prefix cache since its start",
        EngineCount.CACHED_TOKENS);
    total(
        "preemptions",
        "Requests that the engine has preempted since its start",
        EngineCount.PREEMPTIONS);
    total(
        "draft.tokens",
        "Tokens drafted by speculative decoding since the engine's start",
        EngineCount.DRAFT_TOKENS);
    total(
        "accepted.tokens",
        "Draft tokens that the model accepted since the engine's start",
        EngineCount.ACCEPTED_TOKENS);
  }

  private void gauge(String name, String description, ToDoubleFunction<EngineMonitor> value) {
    gauges.gauge(name, description, monitor, value);
  }

  private void total(String name, String description, EngineCount count) {
    gauges.counter("engine." + name, description, monitor, m -> m.state().totals().orZero(count));
  }
}
