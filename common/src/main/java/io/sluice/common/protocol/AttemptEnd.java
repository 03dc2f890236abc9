package io.sluice.common.protocol;

import java.util.Locale;

/**
 * How an attempt ended without an answer.
 *
 * @param reason the kind of end
 * @param code a short stable name of what happened: the worker's code of a failure such as {@code
 *     stall}, why it was returned such as {@code draining}, what gave it up for lost such as {@code
 *     worker_silent}; may be empty
 * @param status the engine's HTTP status; 0 where there was none
 * @param message what the worker says of it, its beginning only; may be empty
 */
public record AttemptEnd(Reason reason, String code, int status, String message) {
  private static final int MESSAGE_CHARACTERS = 200;

  /** The kinds of ends. */
  public enum Reason {
    /** The worker reported a failure. */
    FAILED,
    /** The worker gave it back, through no fault of the request. */
    RETURNED,
    /** The router gave the lease up: the worker was silent, gone, or had started anew. */
    LOST,
    /** As lost, but the worker died while it had the request and had given no token of it. */
    DIED,
    /** Another lease had claimed the request. */
    SUPERSEDED,
    /** The deadline passed. */
    EXPIRED
  }

  /** What a peer does not send is empty. */
  @SuppressWarnings("ConstantValue") // absent JSON fields arrive as null
  public AttemptEnd {
    code = code == null ? "" : shortened(code);
    message = message == null ? "" : shortened(message);
  }

  private static String shortened(String text) {
    return text.length() > MESSAGE_CHARACTERS
        ? text.substring(0, MESSAGE_CHARACTERS) + "..."
        : text;
  }

  /** An end of which nothing more is known than its name. */
  public static AttemptEnd of(Reason reason, String code) {
    return new AttemptEnd(reason, code.toLowerCase(Locale.ROOT), 0, "");
  }

  /** As a worker reported it. */
  public static AttemptEnd of(Outcome.Failed failed) {
    return of(Reason.FAILED, failed);
  }

  /** As a worker reported it, but of another kind. */
  public static AttemptEnd of(Reason reason, Outcome.Failed failed) {
    String code = failed.code().name().toLowerCase(Locale.ROOT);
    return new AttemptEnd(reason, code, failed.status(), failed.message());
  }

  /** As a worker reported it. */
  public static AttemptEnd of(Outcome.Rejected rejected) {
    return new AttemptEnd(
        Reason.FAILED, rejected.error().code(), rejected.status(), rejected.message());
  }
}
