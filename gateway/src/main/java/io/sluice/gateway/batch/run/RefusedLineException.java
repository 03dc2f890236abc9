package io.sluice.gateway.batch.run;

import io.sluice.gateway.http.ApiError;

/** A line that the gateway does not send to the pool. */
public final class RefusedLineException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  private final int status;
  private final boolean isTemporary;

  /**
   * @param error what a single request would have got
   */
  public RefusedLineException(ApiError error) {
    super(error.toText());
    this.status = error.status();
    this.isTemporary = error.retry().orElse(false);
  }

  /** Returns whether the cause is not in the line, and may be over soon. */
  boolean isTemporary() {
    return isTemporary;
  }

  int status() {
    return status;
  }

  String json() {
    return String.valueOf(getMessage());
  }
}
