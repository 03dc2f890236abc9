package io.sluice.gateway.quota;

import io.micronaut.core.annotation.Order;
import io.micronaut.http.HttpRequest;
import io.micronaut.http.MutableHttpResponse;
import io.micronaut.http.annotation.ResponseFilter;
import io.micronaut.http.annotation.ServerFilter;
import io.sluice.fleet.quota.Quotas.Limits;
import io.sluice.fleet.quota.Quotas.Reservation;
import io.sluice.gateway.http.FilterOrder;

/**
 * Adds {@code x-ratelimit-{limit,remaining,reset}-{requests,tokens}} to the response of a request
 * whose key has such limits. The reset is the time until the bucket is full again.
 */
@ServerFilter("/v1/**")
@Order(FilterOrder.RATE_LIMIT_HEADERS)
final class RateLimitHeaders {
  private static final String ATTRIBUTE = "sluice.ratelimit";
  private static final long MINUTE_MILLIS = 60_000;

  private record State(Limits limits, Reservation reservation) {}

  /** Notes what the response should tell. */
  static void note(HttpRequest<?> request, Limits limits, Reservation reservation) {
    request.setAttribute(ATTRIBUTE, new State(limits, reservation));
  }

  @ResponseFilter
  void add(HttpRequest<?> request, MutableHttpResponse<?> response) {
    request
        .getAttribute(ATTRIBUTE, State.class)
        .ifPresent(
            state -> {
              Limits limits = state.limits();
              Reservation left = state.reservation();
              add(response, "requests", limits.requestsPerMinute(), left.requestsLeft());
              add(response, "tokens", limits.tokensPerMinute(), left.tokensLeft());
            });
  }

  private static void add(MutableHttpResponse<?> response, String what, long limit, long left) {
    if (limit > 0) {
      response.header("x-ratelimit-limit-" + what, Long.toString(limit));
      response.header("x-ratelimit-remaining-" + what, Long.toString(Math.max(0, left)));
      response.header("x-ratelimit-reset-" + what, text((limit - left) * MINUTE_MILLIS / limit));
    }
  }

  /** Returns a time as OpenAI writes it: {@code 120ms}, {@code 1s}, {@code 6m0s}. */
  static String text(long millis) {
    if (millis < 1_000) {
      return millis + "ms";
    }
    if (millis < MINUTE_MILLIS) {
      return millis / 1_000 + "s";
    }
    return millis / MINUTE_MILLIS + "m" + millis % MINUTE_MILLIS / 1_000 + "s";
  }
}
