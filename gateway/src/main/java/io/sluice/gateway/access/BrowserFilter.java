package io.sluice.gateway.access;

import io.micronaut.core.annotation.Order;
import io.micronaut.http.HttpHeaders;
import io.micronaut.http.HttpRequest;
import io.micronaut.http.HttpResponse;
import io.micronaut.http.annotation.RequestFilter;
import io.micronaut.http.annotation.ServerFilter;
import io.sluice.gateway.config.GatewayConfig;
import io.sluice.gateway.config.KeySource;
import io.sluice.gateway.http.ApiError;
import io.sluice.gateway.http.FilterOrder;
import java.util.List;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Keeps web pages from using a gateway without keys, which listens on loopback addresses only. A
 * page in a browser of this machine reaches these too: under a name of its own that it makes point
 * to 127.0.0.1, and by the requests that browsers send to other origins without asking. A request
 * without {@code Host} and {@code Origin} is not from a browser. It comes before Micronaut's filter
 * for CORS, which refuses some of these requests without an error that says why.
 */
@ServerFilter("/**")
@Order(FilterOrder.BROWSER)
final class BrowserFilter {
  private static final String ALL = "*";

  /** The names of this machine, also that which it has in the containers of a desktop. */
  private static final String LOOPBACK =
      "(?:(?:[\\w.-]{1,253}\\.)?localhost|127(?:\\.\\d{1,3}){3}|\\[::1]|host\\.docker\\.internal)"
          + "(?::\\d{1,5})?";

  private static final Pattern HOST = Pattern.compile(LOOPBACK, Pattern.CASE_INSENSITIVE);
  private static final Pattern ORIGIN =
      Pattern.compile("https?://" + LOOPBACK, Pattern.CASE_INSENSITIVE);
  private static final ApiError OTHER_HOST =
      ApiError.forbidden(
          "a gateway without API keys answers under names of this machine only: use localhost or"
              + " 127.0.0.1 in its URL (a proxy must send this as Host), or give the gateway keys"
              + " with --keys",
          HttpHeaders.HOST);
  private static final ApiError OTHER_ORIGIN =
      ApiError.forbidden(
          "a gateway without API keys may not be used by web pages of other machines: name the"
              + " page's origin in --cors-origins, or give the gateway keys with --keys",
          HttpHeaders.ORIGIN);

  private final boolean isOpen;
  private final List<String> origins;

  BrowserFilter(GatewayConfig config) {
    this.isOpen = config.keys() instanceof KeySource.None;
    this.origins = config.corsOrigins();
  }

  /** Refuses a request of a page with 403, before its body is read. */
  @RequestFilter
  @Nullable HttpResponse<?> admit(HttpRequest<?> request) {
    if (!isOpen) {
      return null;
    }
    // Over HTTP/2, the server shows ':authority' as this header.
    if (!request.getHeaders().getAll(HttpHeaders.HOST).stream()
        .allMatch(host -> HOST.matcher(host).matches())) {
      return OTHER_HOST.toResponse();
    }
    return request.getHeaders().getAll(HttpHeaders.ORIGIN).stream().allMatch(this::isAllowed)
        ? null
        : OTHER_ORIGIN.toResponse();
  }

  private boolean isAllowed(String origin) {
    return ORIGIN.matcher(origin).matches() || origins.contains(ALL) || origins.contains(origin);
  }
}
