package io.sluice.bench.replay.log;

import io.sluice.common.protocol.ErrorKind;

/** How a request ended. */
public enum End {
  /** It got its answer. */
  ANSWERED,
  /** The pool had no room for it: {@code overloaded}. */
  REFUSED,
  /** It got another error, such as {@code deadline_exceeded}. */
  FAILED,
  /** Its caller did not want it any longer. */
  CANCELLED,
  /** There is no record of an end. */
  UNKNOWN;

  /** Returns the end of a request that got an error. */
  public static End of(ErrorKind error) {
    return switch (error.cause()) {
      case LOAD -> REFUSED;
      case CALLER -> CANCELLED;
      case REQUEST, DEADLINE, FAULT, UNREACHABLE -> FAILED;
    };
  }
}
