package io.sluice.common.protocol;

import java.util.Locale;
import java.util.Objects;

/**
 * How an attempt ended without an answer.
 *
 * @param reason the kind of end
 * @param code a short stable name of what happened: the worker's failure code such as {@code
 *     stall}, the reason for a hand-back such as {@code draining}, or how the router found out that
 *     the attempt was lost such as {@code worker_silent}; may be empty
 * @param status the engine's HTTP status; 0 if there was no response
 * @param message the worker's message, truncated; may be empty
 */
public record AttemptEnd(Reason reason, String code, int status, String message) {
  private static final int MESSAGE_CHARACTERS = 200;

  /** The kinds of ends. */
  public enum Reason {
    /** The worker reported a failure. */
    FAILED,
    /** The worker handed the request back, through no fault of the request. */
    RETURNED,
    /** The router ended the lease: the worker was unresponsive, gone, or had restarted. */
    LOST,
    /**
     * Like {@link #LOST}, but the worker died while it held the request and had not yet produced a
     * token of it.
     */
    DIED,
    /** Another lease had claimed the request. */
    SUPERSEDED,
    /** The deadline passed. */
    EXPIRED
  }

  /** What a router itself finds out about an attempt. */
  public enum Finding {
    /** Its assignment could not be written in time. */
    NOT_WRITTEN(Reason.LOST),
    /** Two routers gave the same attempt. */
    GIVEN_TWICE(Reason.SUPERSEDED),
    /** Its worker did not end the request at its deadline. */
    NOT_ENDED_BY_WORKER(Reason.EXPIRED);

    private final Reason reason;

    Finding(Reason reason) {
      this.reason = reason;
    }

    private String code() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  /** Replaces the fields that a peer did not send by empty values. */
  @SuppressWarnings("ConstantValue") // absent JSON fields arrive as null
  public AttemptEnd {
    Objects.requireNonNull(reason, "the end of an attempt has no reason");
    code = code == null ? "" : shortened(code);
    message = message == null ? "" : shortened(message);
  }

  private static String shortened(String text) {
    return text.length() > MESSAGE_CHARACTERS
        ? text.substring(0, MESSAGE_CHARACTERS) + "..."
        : text;
  }

  /** Returns the end that a router finds out by itself. */
  public static AttemptEnd of(Finding finding) {
    return of(finding.reason, finding.code());
  }

  /** Returns an end of which only the code is known. */
  public static AttemptEnd of(Reason reason, String code) {
    return new AttemptEnd(reason, code, 0, "");
  }

  /** Returns the end that a worker reported as a failure. */
  public static AttemptEnd of(Outcome.Failed failed) {
    return of(Reason.FAILED, failed);
  }

  /** Returns the end that a worker reported as a failure, with another reason. */
  public static AttemptEnd of(Reason reason, Outcome.Failed failed) {
    return new AttemptEnd(reason, failed.code().code(), failed.status(), failed.message());
  }

  /** Returns the end that a worker reported as the request's error. */
  public static AttemptEnd of(Outcome.Rejected rejected) {
    return new AttemptEnd(
        Reason.FAILED, rejected.error().code(), rejected.status(), rejected.message());
  }
}
