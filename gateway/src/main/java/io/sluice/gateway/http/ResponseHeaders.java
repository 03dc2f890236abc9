package io.sluice.gateway.http;

import io.micronaut.core.annotation.Order;
import io.micronaut.http.HttpRequest;
import io.micronaut.http.MutableHttpResponse;
import io.micronaut.http.annotation.RequestFilter;
import io.micronaut.http.annotation.ResponseFilter;
import io.micronaut.http.annotation.ServerFilter;
import io.sluice.common.protocol.RequestId;
import java.util.concurrent.TimeUnit;

/**
 * Adds the headers that OpenAI's API has on every response: {@code x-request-id}, unless the
 * endpoint has set it, and {@code openai-processing-ms}, the time until the response begins. It
 * comes before the filters that refuse requests.
 */
@ServerFilter("/v1/**")
@Order(FilterOrder.RESPONSE_HEADERS)
final class ResponseHeaders {
  private static final String REQUEST_ID = "x-request-id";
  private static final String STARTED = "sluice.started";

  @RequestFilter
  void begin(HttpRequest<?> request) {
    request.setAttribute(STARTED, System.nanoTime());
  }

  @ResponseFilter
  void end(HttpRequest<?> request, MutableHttpResponse<?> response) {
    if (!response.getHeaders().contains(REQUEST_ID)) {
      response.header(REQUEST_ID, RequestId.next());
    }
    request
        .getAttribute(STARTED, Long.class)
        .map(started -> TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - started))
        .ifPresent(millis -> response.header("openai-processing-ms", Long.toString(millis)));
  }
}
