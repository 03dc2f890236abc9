package io.sluice.gateway.access;

import io.micronaut.core.annotation.Order;
import io.micronaut.http.HttpHeaders;
import io.micronaut.http.HttpMethod;
import io.micronaut.http.HttpRequest;
import io.micronaut.http.HttpResponse;
import io.micronaut.http.annotation.RequestFilter;
import io.micronaut.http.annotation.ServerFilter;
import io.micronaut.scheduling.TaskExecutors;
import io.micronaut.scheduling.annotation.ExecuteOn;
import io.sluice.common.protocol.ErrorKind;
import io.sluice.gateway.http.ApiError;
import io.sluice.gateway.http.FilterOrder;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Finds out who calls: by the API key in {@code Authorization: Bearer} or {@code x-api-key}, or, in
 * a gateway without keys, by {@code x-sluice-tenant}.
 */
@ServerFilter("/v1/**")
@Order(FilterOrder.ACCESS)
final class AccessFilter {
  private static final String BEARER = "bearer ";
  private static final String OUTDATED =
      "the gateway cannot read its API keys, and what it read last is too old to be trusted";
  private static final long RETRY_AFTER_MILLIS = 1_000;

  private final Optional<KeyRing> keys;
  private final RequestGate gate;

  AccessFilter(GatewayKeys keys, RequestGate gate) {
    this.keys = keys.ring();
    this.gate = gate;
  }

  /**
   * Admits a request, or refuses it with 401, or with 503 if the keys are too old. Runs on a thread
   * that may block.
   *
   * @return the refusal, also that of the gate
   */
  @RequestFilter
  @ExecuteOn(TaskExecutors.BLOCKING)
  @Nullable HttpResponse<?> authenticate(HttpRequest<?> request) throws InterruptedException {
    if (request.getMethod() == HttpMethod.OPTIONS) {
      return null;
    }
    if (keys.isEmpty()) {
      HttpResponse<?> refusal = withoutKey(request);
      return refusal == null ? gate.admit(request, Caller.of(request)) : refusal;
    }
    Optional<ApiKey> key = secret(request.getHeaders()).flatMap(keys.get()::find);
    if (keys.get().isOutdated()) {
      return ApiError.of(ErrorKind.UNAVAILABLE, OUTDATED)
          .retryAfter(RETRY_AFTER_MILLIS)
          .toResponse();
    }
    if (key.isEmpty()) {
      return ApiError.unauthorized(
              secret(request.getHeaders()).isPresent()
                  ? "the API key is not valid: it is wrong, or was revoked"
                  : "no API key: send it as 'Authorization: Bearer KEY'")
          .toResponse()
          .header(HttpHeaders.WWW_AUTHENTICATE, "Bearer");
    }
    Caller caller = Caller.ofKey(key.get());
    caller.attachTo(request);
    return gate.admit(request, caller);
  }

  private static @Nullable HttpResponse<?> withoutKey(HttpRequest<?> request) {
    String tenant = request.getHeaders().get("x-sluice-tenant");
    if (tenant != null && !Caller.isTenant(tenant)) {
      return ApiError.of(
              ErrorKind.INVALID_REQUEST,
              "x-sluice-tenant must be 1 to 256 printable ASCII characters without spaces")
          .toResponse();
    }
    (tenant == null ? Caller.ANONYMOUS : Caller.ofTenant(tenant)).attachTo(request);
    return null;
  }

  private static Optional<String> secret(HttpHeaders headers) {
    String authorization = headers.get(HttpHeaders.AUTHORIZATION);
    if (authorization != null && authorization.regionMatches(true, 0, BEARER, 0, BEARER.length())) {
      return Optional.of(authorization.substring(BEARER.length()).strip());
    }
    return Optional.ofNullable(headers.get("x-api-key"));
  }
}
