package io.sluice.gateway.quota;

import io.micronaut.core.annotation.Order;
import io.micronaut.http.HttpMethod;
import io.micronaut.http.HttpRequest;
import io.micronaut.http.HttpStatus;
import io.micronaut.http.MutableHttpResponse;
import io.micronaut.http.annotation.ResponseFilter;
import io.micronaut.http.annotation.ServerFilter;
import io.sluice.common.protocol.ErrorKind;
import io.sluice.gateway.access.Caller;
import io.sluice.gateway.http.ApiError;
import io.sluice.gateway.http.ByteStream;
import io.sluice.gateway.http.FilterOrder;
import io.sluice.gateway.http.TenantShares;
import java.util.Optional;

/**
 * Sends a large answer as its client reads it, and keeps it in memory only while there is room. A
 * small one is handed to the connection at once. Thread-safe.
 */
@ServerFilter("/v1/**")
@Order(FilterOrder.ANSWER_LIMIT)
final class AnswerLimit {
  /** A connection takes as much without a client that reads. */
  static final int SMALL_BYTES = 64 * 1024;

  private static final String REQUEST_ID = "x-request-id";
  private static final String FULL =
      "the gateway holds too many answers that their clients do not read; read these first, and then ";
  private static final int HEAP_SHARE = 5;

  private final long most = Runtime.getRuntime().maxMemory() / HEAP_SHARE;
  private final TenantShares bytes = new TenantShares(most);

  /** Does not wait, because the answer takes its memory meanwhile. */
  @ResponseFilter
  MutableHttpResponse<?> answered(HttpRequest<?> request, MutableHttpResponse<?> response) {
    if (request.getMethod() == HttpMethod.HEAD
        || response.code() != HttpStatus.OK.getCode()
        || !(response.body() instanceof byte[] body)
        || body.length <= SMALL_BYTES) {
      return response;
    }
    Optional<TenantShares.Share> share =
        bytes.tryTake(Caller.of(request).tenant(), Math.min(body.length, most / 2));
    if (share.isEmpty()) {
      return request.getMethod() == HttpMethod.GET ? refusedReading() : refused(response);
    }
    TenantShares.Share held = share.get().until(request);
    ByteStream.replace(response, body, held::close);
    return response;
  }

  /** What is stored can be read again. */
  private static MutableHttpResponse<?> refusedReading() {
    return ApiError.overloaded(FULL + "try again").toResponse();
  }

  private static MutableHttpResponse<?> refused(MutableHttpResponse<?> response) {
    // Another try would generate the answer a second time.
    ApiError error =
        ApiError.of(ErrorKind.OVERLOADED, FULL + "this one by its x-request-id").neverRetry();
    String id = response.getHeaders().get(REQUEST_ID);
    return (id == null ? error : error.about(id)).toResponse();
  }
}
