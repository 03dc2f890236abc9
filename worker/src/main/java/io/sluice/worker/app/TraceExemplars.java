package io.sluice.worker.app;

import io.micrometer.core.instrument.Timer;
import io.prometheus.metrics.tracer.common.SpanContext;
import io.sluice.common.protocol.TraceContext;
import java.time.Duration;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Tells the Prometheus client which trace a measurement belongs to, so that a bucket of a histogram
 * names a trace as its example. Thread-safe.
 */
final class TraceExemplars implements SpanContext {
  private static final ScopedValue<TraceContext> MEASURED = ScopedValue.newInstance();

  /** Records a time that was measured for a trace, if it is one. */
  static void record(Timer timer, Duration time, Optional<TraceContext> trace) {
    if (trace.isPresent()) {
      ScopedValue.where(MEASURED, trace.get()).run(() -> timer.record(time));
    } else {
      timer.record(time);
    }
  }

  @Override
  public @Nullable String getCurrentTraceId() {
    return MEASURED.isBound() ? MEASURED.get().traceId() : null;
  }

  @Override
  public @Nullable String getCurrentSpanId() {
    return MEASURED.isBound() ? MEASURED.get().spanId() : null;
  }

  @Override
  public boolean isCurrentSpanSampled() {
    return MEASURED.isBound();
  }

  @Override
  public void markCurrentSpanAsExemplar() {
    // Sampling was decided when the trace began.
  }
}
