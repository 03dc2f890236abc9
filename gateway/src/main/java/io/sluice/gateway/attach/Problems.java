package io.sluice.gateway.attach;

import io.sluice.common.protocol.ErrorKind;
import io.sluice.gateway.http.ApiException;

/** The errors of reading an answer again, as HTTP responses. */
final class Problems {
  private Problems() {}

  /**
   * Returns the error of an answer that does not exist, or not for the caller: nothing in it tells
   * which.
   */
  private static ApiException notFound(String requestId) {
    return new ApiException(
        ErrorKind.REQUEST_NOT_FOUND,
        "no answer found for request %s; it may still be waiting, try again".formatted(requestId));
  }

  /**
   * Returns the error of an answer that cannot be read.
   *
   * @param param the parameter or header with the reader's position
   */
  static ApiException of(UnreadableException unreadable, String requestId, String param) {
    return switch (unreadable.kind()) {
      case REQUEST_NOT_FOUND -> notFound(requestId);
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
