package io.sluice.gateway.pool;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.micronaut.core.convert.ConversionService;
import io.micronaut.http.HttpHeaders;
import io.micronaut.http.simple.SimpleHttpHeaders;
import io.sluice.common.protocol.Endpoint;
import io.sluice.common.protocol.HeaderNames;
import io.sluice.common.protocol.Json;
import io.sluice.common.protocol.Priority;
import io.sluice.gateway.access.KeyLimits;
import io.sluice.gateway.http.ApiException;
import io.sluice.producer.client.InferenceRequest;
import java.util.HashMap;
import java.util.Map;

/** Those headers of a caller that the pool follows, so that another gateway can follow them too. */
public final class CallerHeaders {
  private CallerHeaders() {}

  /** Selects the headers, by their names in lower case. All others are left out. */
  public static Map<String, String> of(HttpHeaders headers) {
    Map<String, String> selected = new HashMap<>();
    for (RequestOption option : RequestOption.values()) {
      select(option.header(), headers, selected);
    }
    select(HeaderNames.TRACEPARENT, headers, selected);
    RequestOptions.state(headers).ifPresent(state -> selected.put(HeaderNames.TRACESTATE, state));
    return selected;
  }

  private static void select(String name, HttpHeaders headers, Map<String, String> selected) {
    String value = headers.get(name);
    if (value != null) {
      selected.put(name, value);
    }
  }

  /**
   * Selects the headers like {@link #of}, for requests whose bodies are not known yet.
   *
   * @throws ApiException if no request can have one of them
   */
  public static Map<String, String> checked(HttpHeaders headers) {
    Map<String, String> selected = of(headers);
    ObjectNode nothing = Json.mapper().createObjectNode();
    new RequestOptions(restored(selected), nothing)
        .applyTo(
            InferenceRequest.of(Endpoint.CHAT_COMPLETIONS, nothing),
            KeyLimits.NONE,
            Priority.BULK.defaultTimeout());
    return selected;
  }

  /**
   * Selects the headers of a request, with the priority, the tier and the fallback model that it
   * got: who sends it again does not know its key.
   */
  public static Map<String, String> of(HttpHeaders headers, InferenceRequest request) {
    Map<String, String> selected = of(headers);
    selected.put(RequestOption.PRIORITY.header(), request.priority().headerValue());
    request.tier().ifPresent(tier -> selected.put(RequestOption.TIER.header(), tier));
    request
        .fallbackModel()
        .ifPresent(model -> selected.put(RequestOption.FALLBACK_MODEL.header(), model));
    return selected;
  }

  /** Returns the headers as they were selected. */
  public static HttpHeaders restored(Map<String, String> selected) {
    return new SimpleHttpHeaders(new HashMap<>(selected), ConversionService.SHARED);
  }
}
