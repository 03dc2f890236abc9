package io.sluice.worker.app;

import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import java.util.function.ToDoubleFunction;

/**
 * Registers metrics that are read from their sources, under the names and with the tag of a worker.
 *
 * @param worker the worker's id
 */
record WorkerGauges(MeterRegistry registry, String worker) {

  <T> void gauge(String name, String description, T source, ToDoubleFunction<T> value) {
    Gauge.builder("sluice.worker." + name, source, value)
        .description(description)
        .tag("worker", worker)
        .register(registry);
  }

  /** A value that only grows while the source lives. */
  <T> void counter(String name, String description, T source, ToDoubleFunction<T> value) {
    FunctionCounter.builder("sluice.worker." + name, source, value)
        .description(description)
        .tag("worker", worker)
        .register(registry);
  }
}
