package io.sluice.gateway.attach;

import io.micronaut.core.annotation.Order;
import io.micronaut.http.MutableHttpResponse;
import io.micronaut.http.annotation.ResponseFilter;
import io.micronaut.http.annotation.ServerFilter;
import io.sluice.gateway.http.FilterOrder;

/** Keeps browsers from taking an answer for anything but data. */
@ServerFilter("/v1/requests/**")
@Order(FilterOrder.SECURITY_HEADERS)
final class SecurityHeaders {

  @ResponseFilter
  void add(MutableHttpResponse<?> response) {
    response.header("x-content-type-options", "nosniff");
    response.header("cross-origin-resource-policy", "same-origin");
  }
}
