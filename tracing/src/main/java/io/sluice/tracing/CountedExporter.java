package io.sluice.tracing;

import io.opentelemetry.sdk.common.CompletableResultCode;
import io.opentelemetry.sdk.trace.data.SpanData;
import io.opentelemetry.sdk.trace.export.SpanExporter;
import java.util.Collection;

/**
 * Counts what an exporter does.
 *
 * @param exporter does the work
 */
record CountedExporter(SpanExporter exporter, ExportCounts counts) implements SpanExporter {

  @Override
  public CompletableResultCode export(Collection<SpanData> spans) {
    int count = spans.size();
    CompletableResultCode result = exporter.export(spans);
    return result.whenComplete(() -> counts.left(count, result.isSuccess()));
  }

  @Override
  public CompletableResultCode flush() {
    return exporter.flush();
  }

  @Override
  public CompletableResultCode shutdown() {
    return exporter.shutdown();
  }
}
