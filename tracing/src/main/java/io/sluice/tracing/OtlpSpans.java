package io.sluice.tracing;

import io.opentelemetry.api.common.Attributes;
import io.opentelemetry.api.common.AttributesBuilder;
import io.opentelemetry.api.trace.SpanBuilder;
import io.opentelemetry.api.trace.SpanContext;
import io.opentelemetry.api.trace.SpanKind;
import io.opentelemetry.api.trace.StatusCode;
import io.opentelemetry.api.trace.TraceFlags;
import io.opentelemetry.api.trace.TraceState;
import io.opentelemetry.api.trace.Tracer;
import io.opentelemetry.context.Context;
import io.opentelemetry.exporter.otlp.http.trace.OtlpHttpSpanExporter;
import io.opentelemetry.sdk.common.export.RetryPolicy;
import io.opentelemetry.sdk.resources.Resource;
import io.opentelemetry.sdk.trace.SdkTracerProvider;
import io.opentelemetry.sdk.trace.SpanLimits;
import io.opentelemetry.sdk.trace.export.BatchSpanProcessor;
import io.opentelemetry.sdk.trace.samplers.Sampler;
import io.sluice.common.trace.Span;
import io.sluice.common.trace.SpanSink;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.logging.Level;
import java.util.logging.Logger;

/**
 * Hands spans to OpenTelemetry's SDK, which sends them in batches on a thread of its own. Never
 * blocks a caller. Thread-safe.
 */
final class OtlpSpans implements SpanSink, AutoCloseable {
  private static final Duration BATCH_EVERY = Duration.ofSeconds(1);
  private static final Duration TIMEOUT = Duration.ofSeconds(5);
  private static final Duration CLOSE_WITHIN = Duration.ofSeconds(3);
  private static final RetryPolicy RETRIES =
      RetryPolicy.builder().setMaxAttempts(3).setMaxBackoff(Duration.ofSeconds(2)).build();

  /** Callers name models and tenants as they like. */
  private static final int MAX_TEXT_CHARACTERS = 256;

  /** The SDK's own lines about failures; one of ours says it, see {@link ExportCounts}. */
  private static final Logger SDK_LOG = Logger.getLogger("io.opentelemetry");

  private final ExportCounts counts;
  private final SdkTracerProvider provider;
  private final Tracer tracer;

  OtlpSpans(URI endpoint, Resource resource, ExportCounts counts) {
    SDK_LOG.setLevel(Level.OFF);
    this.counts = counts;
    var exporter =
        OtlpHttpSpanExporter.builder()
            .setEndpoint(endpoint.toString())
            .setConnectTimeout(TIMEOUT)
            .setTimeout(TIMEOUT)
            .setRetryPolicy(RETRIES)
            .build();
    var processor =
        BatchSpanProcessor.builder(new CountedExporter(exporter, counts))
            .setScheduleDelay(BATCH_EVERY)
            .setMaxQueueSize(ExportCounts.MOST_WAITING)
            .build();
    this.provider =
        SdkTracerProvider.builder()
            .setResource(resource)
            .setIdGenerator(new RecordedIds())
            .setSampler(Sampler.alwaysOn())
            .setSpanLimits(
                SpanLimits.builder().setMaxAttributeValueLength(MAX_TEXT_CHARACTERS).build())
            .addSpanProcessor(processor)
            .build();
    this.tracer = provider.get("io.sluice");
  }

  @Override
  public void accept(Span span) {
    if (counts.admit()) {
      try {
        ScopedValue.where(RecordedIds.OWN, span.context()).run(() -> hand(span));
      } catch (RuntimeException e) {
        // A request never fails because of its trace.
        counts.left(1, false);
      }
    }
  }

  private void hand(Span span) {
    SpanBuilder builder =
        tracer
            .spanBuilder(span.name())
            .setSpanKind(SpanKind.valueOf(span.kind().name()))
            .setStartTimestamp(span.start())
            .setAllAttributes(attributes(span.attributes()));
    if (span.parentSpanId().isEmpty()) {
      builder.setNoParent();
    } else {
      builder.setParent(below(span));
    }
    var handed = builder.startSpan();
    span.events()
        .forEach(
            event -> handed.addEvent(event.name(), attributes(event.attributes()), event.at()));
    if (!span.errorType().isEmpty()) {
      handed.setAttribute("error.type", span.errorType());
      handed.setStatus(StatusCode.ERROR);
    }
    handed.end(span.end());
  }

  private static Context below(Span span) {
    var parent =
        SpanContext.createFromRemoteParent(
            span.context().traceId(),
            span.parentSpanId(),
            TraceFlags.getSampled(),
            TraceState.getDefault());
    return Context.root().with(io.opentelemetry.api.trace.Span.wrap(parent));
  }

  private static Attributes attributes(Map<String, Object> values) {
    AttributesBuilder builder = Attributes.builder();
    values.forEach(
        (name, value) -> {
          switch (value) {
            case String text -> builder.put(name, text);
            case Long number -> builder.put(name, number);
            case Double number -> builder.put(name, number);
            case Boolean isTrue -> builder.put(name, isTrue);
            case List<?> texts ->
                builder.put(name, texts.stream().map(String::valueOf).toArray(String[]::new));
            default -> throw new IllegalArgumentException(name + " is a " + value.getClass());
          }
        });
    return builder.build();
  }

  /** Sends the spans that wait, within a bounded time. */
  @Override
  public void close() {
    provider.shutdown().join(CLOSE_WITHIN.toMillis(), TimeUnit.MILLISECONDS);
  }
}
