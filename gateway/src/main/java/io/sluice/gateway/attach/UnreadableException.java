package io.sluice.gateway.attach;

import io.sluice.common.protocol.ErrorKind;

/** An answer cannot be read, or not from where its reader wants to. */
final class UnreadableException extends Exception {
  private static final long serialVersionUID = 1L;

  private final ErrorKind kind;

  UnreadableException(ErrorKind kind, String message) {
    super(message);
    this.kind = kind;
  }

  ErrorKind kind() {
    return kind;
  }

  /** Returns the problem in words. */
  String problem() {
    return String.valueOf(getMessage());
  }
}
