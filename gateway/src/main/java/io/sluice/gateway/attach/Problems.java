package io.sluice.gateway.attach;

import io.sluice.common.protocol.ErrorKind;
import io.sluice.common.protocol.RequestId;
import io.sluice.gateway.http.ApiError;
import io.sluice.gateway.http.ApiException;
import java.time.Duration;
import java.time.Instant;

/** The errors of reading an answer again, as HTTP responses. */
final class Problems {
  /** A younger request may still wait for a worker. */
  private static final Duration MAY_WAIT = Duration.ofHours(1);

  private static final long RETRY_AFTER_MILLIS = 1_000;

  private Problems() {}

  /**
   * Returns the error of an answer that does not exist, or not for the caller: nothing in it tells
   * which. If the id is young, clients should try again.
   */
  private static ApiException notFound(String requestId, Instant now) {
    ApiError error =
        ApiError.of(
            ErrorKind.REQUEST_NOT_FOUND,
            "no answer found for request %s; it may still be waiting, try again"
                .formatted(requestId));
    boolean mayWait =
        RequestId.timeOf(requestId).filter(made -> made.plus(MAY_WAIT).isAfter(now)).isPresent();
    return new ApiException(mayWait ? error.retryAfter(RETRY_AFTER_MILLIS).shouldRetry() : error);
  }

  /**
   * Returns the error of an answer that cannot be read.
   *
   * @param param the parameter or header with the reader's position
   */
  static ApiException of(
      UnreadableException unreadable, String requestId, String param, Instant now) {
    return switch (unreadable.kind()) {
      case REQUEST_NOT_FOUND -> notFound(requestId, now);
      case INVALID_REQUEST ->
          new ApiException(ErrorKind.INVALID_REQUEST, unreadable.problem(), param);
      default -> new ApiException(unreadable.kind(), unreadable.problem());
    };
  }

  /** Returns the error of a parameter or a header. */
  static ApiException invalid(String param, String problem) {
    return new ApiException(ErrorKind.INVALID_REQUEST, param + " " + problem, param);
  }
}
