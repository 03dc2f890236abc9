package io.sluice.gateway.quota;

import io.sluice.common.protocol.Priority;
import io.sluice.common.protocol.RequestHeaders;
import io.sluice.gateway.access.KeyLimits;
import io.sluice.gateway.http.ApiError;
import io.sluice.gateway.http.ApiException;
import io.sluice.producer.client.InferenceRequest;
import java.util.List;

/** What a key may ask for. */
public final class Permissions {
  private Permissions() {}

  /**
   * Checks a request.
   *
   * @throws ApiException with status 403 if the key does not allow it
   */
  public static void check(InferenceRequest request, KeyLimits limits) {
    among("model", request.openAi().model(), limits.models());
    request
        .fallbackModel()
        .filter(model -> !model.equals(RequestHeaders.NO_FALLBACK))
        .ifPresent(model -> among("fallback model", model, limits.models()));
    request.tier().ifPresent(tier -> among("tier", tier, limits.tiers()));
    limits
        .maxPriority()
        .filter(highest -> isHigher(request.priority(), highest))
        .ifPresent(
            highest -> {
              throw refused(
                  "priority",
                  request.priority().headerValue() + "; the highest is " + highest.headerValue());
            });
  }

  private static boolean isHigher(Priority asked, Priority highest) {
    return asked.compareTo(highest) < 0;
  }

  private static void among(String what, String asked, List<String> allowed) {
    if (!allowed.isEmpty() && !allowed.contains(asked)) {
      throw refused(what, asked + "; allowed: " + String.join(", ", allowed));
    }
  }

  private static ApiException refused(String what, String detail) {
    return new ApiException(
        ApiError.forbidden("this API key does not allow the " + what + " " + detail, what));
  }
}
