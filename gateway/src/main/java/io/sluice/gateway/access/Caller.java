package io.sluice.gateway.access;

import io.micronaut.http.HttpRequest;
import io.sluice.gateway.http.ApiError;
import io.sluice.gateway.http.ApiException;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * Who sent an HTTP request.
 *
 * @param tenant to whose share the request counts; other tenants' ids do not exist for it
 * @param limits what it may do
 * @param keyId the id of its API key; empty in a gateway without keys
 */
public record Caller(String tenant, KeyLimits limits, Optional<String> keyId) {
  /** The caller of a gateway without keys. */
  static final Caller ANONYMOUS = ofTenant("default");

  private static final Pattern TENANT = Pattern.compile("[\\x21-\\x7e]{1,256}");
  private static final String ATTRIBUTE = "sluice.caller";

  /** Returns whether a text can name a tenant: 1 to 256 printable ASCII characters, no spaces. */
  public static boolean isTenant(String name) {
    return TENANT.matcher(name).matches();
  }

  /** Returns a caller without a key, who may do everything. */
  public static Caller ofTenant(String tenant) {
    return ofTenant(tenant, KeyLimits.NONE);
  }

  /** Returns a caller whose key is not known any more, but what it may do. */
  public static Caller ofTenant(String tenant, KeyLimits limits) {
    return new Caller(tenant, limits, Optional.empty());
  }

  /** Returns the caller of a key. */
  public static Caller ofKey(ApiKey key) {
    return new Caller(key.tenant(), key.limits(), Optional.of(key.id()));
  }

  /**
   * Returns the caller of a request.
   *
   * @throws ApiException with status 401 if the caller is not authenticated
   */
  public static Caller of(HttpRequest<?> request) {
    return request
        .getAttribute(ATTRIBUTE, Caller.class)
        .orElseThrow(
            () -> new ApiException(ApiError.unauthorized("it is not known who sent the request")));
  }

  /** Notes who sent a request. */
  void attachTo(HttpRequest<?> request) {
    request.setAttribute(ATTRIBUTE, this);
  }
}
