package io.sluice.gateway.http;

import io.sluice.common.protocol.ErrorKind;
import java.util.Optional;

/** Ends the processing of an HTTP request with an error in OpenAI's format. */
public final class ApiException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  private final transient ApiError error;

  public ApiException(ApiError error) {
    super(error.message());
    this.error = error;
  }

  public ApiException(ErrorKind kind, String message) {
    this(ApiError.of(kind, message));
  }

  /**
   * @param param the field or header at fault
   */
  public ApiException(ErrorKind kind, String message, String param) {
    this(ApiError.of(kind, message, Optional.of(param)));
  }

  public ApiError error() {
    return error;
  }
}
