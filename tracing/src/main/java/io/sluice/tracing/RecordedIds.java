package io.sluice.tracing;

import io.opentelemetry.sdk.trace.IdGenerator;
import io.sluice.common.protocol.TraceContext;

/** Gives an SDK span the ids that it was recorded with. Thread-safe. */
final class RecordedIds implements IdGenerator {
  /** Bound while an SDK span is started. */
  static final ScopedValue<TraceContext> OWN = ScopedValue.newInstance();

  @Override
  public String generateSpanId() {
    return OWN.get().spanId();
  }

  @Override
  public String generateTraceId() {
    return OWN.get().traceId();
  }
}
