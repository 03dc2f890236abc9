package io.sluice.tracing;

import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.MeterRegistry;
import io.sluice.common.time.LogInterval;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAdder;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What happens to spans: at most {@link #MOST_WAITING} of them wait for the collector, those beyond
 * are dropped. Losses are counted, and logged in at most one line a minute. Thread-safe.
 */
final class ExportCounts {
  static final int MOST_WAITING = 4_096;

  private static final Duration LOSS_LOG_INTERVAL = Duration.ofMinutes(1);
  private static final Logger log = LoggerFactory.getLogger(ExportCounts.class);

  private final String endpoint;
  private final AtomicInteger waiting = new AtomicInteger();
  private final LongAdder exported = new LongAdder();
  private final LongAdder dropped = new LongAdder();
  private final LogInterval lossLog = new LogInterval(LOSS_LOG_INTERVAL, System::nanoTime);

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
    if (lossLog.isDue()) {
      log.warn(
          "event=spans_dropped collector={} dropped={} effect=\"traces are incomplete; requests continue\" hint=\"start the collector, or correct --trace-endpoint\"",
          endpoint,
          dropped.sum());
    }
  }
}
