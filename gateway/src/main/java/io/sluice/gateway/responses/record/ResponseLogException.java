package io.sluice.gateway.responses.record;

import io.sluice.common.protocol.ErrorKind;
import org.jspecify.annotations.Nullable;

/** The log could not be read or written. The message is one sentence for a person. */
public final class ResponseLogException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  private final ErrorKind kind;

  ResponseLogException(ErrorKind kind, String message, @Nullable Throwable cause) {
    super(message, cause);
    this.kind = kind;
  }

  /** Returns what the caller gets. */
  public ErrorKind kind() {
    return kind;
  }
}
