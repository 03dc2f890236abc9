package io.sluice.worker.app;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.MultiGauge;
import io.micrometer.core.instrument.Tags;
import io.sluice.worker.config.WorkerConfig;
import io.sluice.worker.health.EngineMonitor;
import java.util.List;

/**
 * Tells the tier and the model of a worker, to be joined with its other metrics. Adapters are left
 * out: engines may load any number of them. Thread-safe.
 */
final class WorkerInfo {
  private final WorkerConfig config;
  private final EngineMonitor monitor;
  private final MultiGauge gauge;
  private volatile String model = "";

  private WorkerInfo(WorkerConfig config, EngineMonitor monitor, MultiGauge gauge) {
    this.config = config;
    this.monitor = monitor;
    this.gauge = gauge;
  }

  /** Registers the metric; its model is {@code none} until the engine has told it. */
  static WorkerInfo register(MeterRegistry registry, WorkerConfig config, EngineMonitor monitor) {
    var info =
        new WorkerInfo(
            config,
            monitor,
            MultiGauge.builder("sluice.worker.info")
                .description("Always 1; the tier and the first model of the worker")
                .tag("worker", config.id())
                .register(registry));
    info.refresh();
    var _ = monitor.answer().whenComplete((up, down) -> info.refresh());
    return info;
  }

  /** The engine may serve another model than before. */
  void refresh() {
    String now = monitor.announcedModels().stream().findFirst().orElse("none");
    if (!now.equals(model)) {
      model = now;
      Tags tags = Tags.of("tier", config.tier().orElse("none"), "model", now);
      gauge.register(List.of(MultiGauge.Row.of(tags, () -> 1)), true);
    }
  }
}
