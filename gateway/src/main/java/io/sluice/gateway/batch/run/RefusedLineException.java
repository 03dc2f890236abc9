package io.sluice.gateway.batch.run;

import io.sluice.common.protocol.ErrorKind;

/** A line that the gateway does not send to the pool. */
public final class RefusedLineException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  private final int status;

  /**
   * @param status the HTTP status that a single request would have got
   * @param json the error in OpenAI's format
   */
  public RefusedLineException(int status, String json) {
    super(json);
    this.status = status;
  }

  /** Returns whether the cause is not in the line, and may be over soon. */
  boolean isTemporary() {
    return status == ErrorKind.UNAVAILABLE.status();
  }

  int status() {
    return status;
  }

  String json() {
    return String.valueOf(getMessage());
  }
}
