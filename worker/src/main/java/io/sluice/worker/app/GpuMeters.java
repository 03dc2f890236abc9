package io.sluice.worker.app;

import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.MultiGauge;
import io.micrometer.core.instrument.MultiGauge.Row;
import io.micrometer.core.instrument.Tags;
import io.sluice.worker.gpu.Gpu;
import io.sluice.worker.limit.HeatLimit;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/** What a worker reports about its engine's GPUs: the last reading. Thread-safe. */
final class GpuMeters implements Consumer<List<Gpu>> {
  private final MultiGauge celsius;
  private volatile List<Gpu> latest = List.of();

  private GpuMeters(MultiGauge celsius) {
    this.celsius = celsius;
  }

  /** Registers the metrics; the result takes the readings. */
  static GpuMeters register(MeterRegistry registry, String worker, HeatLimit limit) {
    var meters =
        new GpuMeters(
            MultiGauge.builder("sluice.worker.gpu.celsius")
                .description("Temperature of a GPU of the engine, in degrees Celsius")
                .tag("worker", worker)
                .register(registry));
    Gauge.builder("sluice.worker.gpu.throttled", meters, m -> m.isThrottled() ? 1 : 0)
        .description("1 if heat or the power supply slows a GPU of the engine down, else 0")
        .tag("worker", worker)
        .register(registry);
    Gauge.builder("sluice.worker.gpu.limit.share", limit, HeatLimit::share)
        .description("Share of the limit of requests that hot GPUs leave, 0.25 to 1")
        .tag("worker", worker)
        .register(registry);
    return meters;
  }

  @Override
  public void accept(List<Gpu> gpus) {
    latest = gpus;
    List<Row<?>> rows = new ArrayList<>();
    for (Gpu gpu : gpus) {
      gpu.celsius()
          .ifPresent(degrees -> rows.add(Row.of(Tags.of("gpu", gpu.index()), () -> degrees)));
    }
    celsius.register(rows, true);
  }

  private boolean isThrottled() {
    return latest.stream().anyMatch(gpu -> !gpu.slowdowns().isEmpty());
  }
}
