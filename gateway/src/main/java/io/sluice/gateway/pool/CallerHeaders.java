package io.sluice.gateway.pool;

import io.micronaut.core.convert.ConversionService;
import io.micronaut.http.HttpHeaders;
import io.micronaut.http.simple.SimpleHttpHeaders;
import io.sluice.common.protocol.HeaderNames;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Set;

/** Those headers of a caller that the pool follows, so that another gateway can follow them too. */
public final class CallerHeaders {
  private static final String OPTIONS = "x-sluice-";
  private static final Set<String> TRACE = Set.of(HeaderNames.TRACEPARENT, HeaderNames.TRACESTATE);

  private CallerHeaders() {}

  /** Selects the headers, by their names in lower case. */
  public static Map<String, String> of(HttpHeaders headers) {
    Map<String, String> selected = new HashMap<>();
    headers.forEachValue(
        (name, value) -> {
          String lower = name.toLowerCase(Locale.ROOT);
          if (lower.startsWith(OPTIONS) || TRACE.contains(lower)) {
            selected.put(lower, value);
          }
        });
    return selected;
  }

  /** Returns the headers as they were selected. */
  public static HttpHeaders restored(Map<String, String> selected) {
    return new SimpleHttpHeaders(new HashMap<>(selected), ConversionService.SHARED);
  }
}
