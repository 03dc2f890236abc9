package io.sluice.tracing;

import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.MeterRegistry;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What becomes of spans: at most {@link #MOST_WAITING} of them wait for the collector, those beyond
 * are dropped. Losses are counted, and logged in at most one line a minute. Thread-safe.
 */
final class ExportCounts {
  static final int MOST_WAITING = 4_096;

  private static final Duration LOG_INTERVAL = Duration.ofMinutes(1);
  private static final Logger log = LoggerFactory.getLogger(ExportCounts.class);

  private final String endpoint;
  private final AtomicInteger waiting = new AtomicInteger();
  private final LongAdder exported = new LongAdder();
  private final LongAdder dropped = new LongAdder();
  private final AtomicLong silentUntilNanos = new AtomicLong(System.nanoTime());

  ExportCounts(String endpoint) {
    this.endpoint = endpoint;
  }

  void bindTo(MeterRegistry registry) {
    FunctionCounter.builder("sluice.trace.spans.exported", exported, LongAdder::sum)
        .description("Spans that the collector took")
        .register(registry);
    FunctionCounter.builder("sluice.trace.spans.dropped", dropped, LongAdder::sum)
        .description("Spans that were lost because the collector was away or too slow")
        .register(registry);
  }

  long exported() {
    return exported.sum();
  }

  long dropped() {
    return dropped.sum();
  }

  /** Returns whether there is room for one more span; counts it as waiting or as dropped. */
  boolean admit() {
    if (waiting.incrementAndGet() <= MOST_WAITING) {
      return true;
    }
    waiting.decrementAndGet();
    lost(1);
    return false;
  }

  /** Waiting spans were sent, or given up. */
  void left(int spans, boolean isTaken) {
    waiting.addAndGet(-spans);
    if (isTaken) {
      exported.add(spans);
    } else {
      lost(spans);
    }
  }

  private void lost(int spans) {
    dropped.add(spans);
    long now = System.nanoTime();
    long until = silentUntilNanos.get();
    if (now - until >= 0 && silentUntilNanos.compareAndSet(until, now + LOG_INTERVAL.toNanos())) {
      log.warn(
          "event=spans_dropped collector={} dropped={} effect=\"traces are incomplete; requests go on\" hint=\"start the collector, or correct --trace-endpoint\"",
          endpoint,
          dropped.sum());
    }
  }
}
