package io.sluice.tracing;

import io.sluice.config.Setting;
import java.net.URI;
import java.util.Optional;

/**
 * Where a service sends its spans.
 *
 * @param endpoint of a collector that takes OTLP over HTTP; empty turns tracing off
 * @param sample the share of the traces that begin in this service which are recorded, 0 to 1
 */
public record TraceSettings(
    @Setting(
            key = "trace-endpoint",
            environment = "SLUICE_TRACE_ENDPOINT",
            otherwise = "no tracing",
            unit = "URL",
            meaning =
                "The collector that gets the spans, by OTLP over HTTP, such as"
                    + " `http://127.0.0.1:4318`. A URL without a path gets `/v1/traces`.")
        Optional<URI> endpoint,
    @Setting(
            key = "trace-sample",
            environment = "SLUICE_TRACE_SAMPLE",
            defaultValue = "0.05",
            unit = "share",
            min = 0,
            max = 1,
            meaning =
                "The share of requests without trace context that are traced. For the others the"
                    + " caller's context decides.")
        double sample) {

  private static final String DEFAULT_PATH = "/v1/traces";

  public TraceSettings {
    endpoint = endpoint.map(TraceSettings::whole);
  }

  private static URI whole(URI given) {
    if (!"http".equals(given.getScheme()) && !"https".equals(given.getScheme())) {
      throw new IllegalArgumentException(
          "--trace-endpoint is '%s', but must be a URL such as http://127.0.0.1:4318"
              .formatted(given));
    }
    boolean hasPath = given.getPath() != null && given.getPath().length() > 1;
    return hasPath ? given : given.resolve(DEFAULT_PATH);
  }
}
