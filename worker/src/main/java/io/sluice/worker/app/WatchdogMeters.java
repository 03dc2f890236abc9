package io.sluice.worker.app;

import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.sluice.worker.notice.NoticeWatch;
import io.sluice.worker.watchdog.Watchdog;
import java.util.function.ToDoubleFunction;

/** The metrics of what watches over an engine and its machine. */
final class WatchdogMeters {
  private final MeterRegistry registry;
  private final String worker;

  private WatchdogMeters(MeterRegistry registry, String worker) {
    this.registry = registry;
    this.worker = worker;
  }

  static void register(
      MeterRegistry registry, String worker, Watchdog watchdog, NoticeWatch notices) {
    var meters = new WatchdogMeters(registry, worker);
    meters.gauge(
        "engine.degraded",
        "1 if the engine has become worse since its start, else 0",
        watchdog,
        w -> w.isDegraded() ? 1 : 0);
    meters.gauge(
        "engine.slowdown",
        "Time between tokens as a multiple of that after the engine's start under the same load; 0"
            + " if not known yet",
        watchdog,
        Watchdog::slowdown);
    meters.gauge(
        "engine.restart.failed",
        "1 if two restarts of the engine in a row have failed and it was not repaired, else 0",
        watchdog,
        w -> w.hasFailed() ? 1 : 0);
    FunctionCounter.builder("sluice.worker.engine.restarts", watchdog, Watchdog::restarts)
        .description("Restarts of the engine by the watchdog")
        .tag("worker", worker)
        .register(registry);
    meters.gauge(
        "machine.going",
        "1 if a notice says that the machine is about to go, else 0",
        notices,
        n -> n.isGoing() ? 1 : 0);
  }

  private <T> void gauge(String name, String description, T source, ToDoubleFunction<T> value) {
    Gauge.builder("sluice.worker." + name, source, value)
        .description(description)
        .tag("worker", worker)
        .register(registry);
  }
}
