package io.sluice.gateway.access;

import io.micronaut.http.HttpRequest;

/**
 * Who sent an HTTP request.
 *
 * @param tenant to whose share and quota the request counts; other tenants' ids do not exist for it
 */
public record Caller(String tenant) {
  /** The caller of a gateway without keys. */
  public static final Caller ANONYMOUS = new Caller("default");

  private static final String ATTRIBUTE = "sluice.caller";

  /** Returns the caller of a request. */
  public static Caller of(HttpRequest<?> request) {
    return request.getAttribute(ATTRIBUTE, Caller.class).orElse(ANONYMOUS);
  }
}
