package io.sluice.tracing;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.binder.MeterBinder;
import io.opentelemetry.api.common.AttributeKey;
import io.opentelemetry.api.common.Attributes;
import io.opentelemetry.sdk.resources.Resource;
import io.sluice.common.trace.SampleRatio;
import io.sluice.common.trace.Tracer;
import java.net.URI;
import java.time.Clock;
import java.util.Optional;

/**
 * The tracing of one service, and the metrics of its export. While it is off, no class of
 * OpenTelemetry is loaded. Thread-safe.
 */
public final class Tracing implements MeterBinder, AutoCloseable {
  private final Tracer tracer;
  private final Optional<Export> export;

  private record Export(OtlpSpans spans, ExportCounts counts) {}

  private Tracing(Tracer tracer, Optional<Export> export) {
    this.tracer = tracer;
    this.export = export;
  }

  /**
   * Starts what the settings ask for.
   *
   * @param service the value of {@code service.name}
   * @param instance the value of {@code service.instance.id}
   * @param clock of the spans
   */
  public static Tracing open(TraceSettings settings, String service, String instance, Clock clock) {
    if (settings.endpoint().isEmpty()) {
      return new Tracing(Tracer.OFF, Optional.empty());
    }
    URI endpoint = settings.endpoint().get();
    var counts = new ExportCounts(endpoint.toString());
    var spans = new OtlpSpans(endpoint, resource(service, instance), counts);
    Tracer tracer = new Tracer(spans, new SampleRatio(settings.sample()), clock);
    return new Tracing(tracer, Optional.of(new Export(spans, counts)));
  }

  private static Resource resource(String service, String instance) {
    return Resource.getDefault()
        .merge(
            Resource.create(
                Attributes.of(
                    AttributeKey.stringKey("service.namespace"),
                    "sluice",
                    AttributeKey.stringKey("service.name"),
                    service,
                    AttributeKey.stringKey("service.instance.id"),
                    instance)));
  }

  /** Begins the service's spans. */
  public Tracer tracer() {
    return tracer;
  }

  /** Registers the counters of the export; none while tracing is off. */
  @Override
  public void bindTo(MeterRegistry registry) {
    export.ifPresent(it -> it.counts().bindTo(registry));
  }

  /** Sends the spans that wait, within 3 s. */
  @Override
  public void close() {
    export.ifPresent(it -> it.spans().close());
  }
}
