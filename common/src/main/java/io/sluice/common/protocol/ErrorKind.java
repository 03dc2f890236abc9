package io.sluice.common.protocol;

import com.fasterxml.jackson.annotation.JsonEnumDefaultValue;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.Locale;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * The errors that a caller may receive, each with the HTTP status that OpenAI clients expect for
 * it, and with what the parts of the pool decide by.
 */
public enum ErrorKind {
  /** Also stands for a kind from a newer peer that this version does not know. */
  @JsonEnumDefaultValue
  INVALID_REQUEST(
      400,
      "invalid_request_error",
      Param.IN_MESSAGE,
      Cause.REQUEST,
      Retry.UNSPECIFIED,
      Origin.POOL),
  MODEL_NOT_FOUND(
      404, "not_found_error", Param.MODEL, Cause.REQUEST, Retry.UNSPECIFIED, Origin.POOL),
  CONTEXT_LENGTH_EXCEEDED(
      400, "invalid_request_error", Param.MESSAGES, Cause.REQUEST, Retry.UNSPECIFIED, Origin.POOL),
  /** The answer is larger than its reply topic accepts. */
  ANSWER_TOO_LARGE(
      400, "invalid_request_error", Param.NONE, Cause.REQUEST, Retry.UNSPECIFIED, Origin.POOL),
  DEADLINE_EXCEEDED(504, "timeout_error", Param.NONE, Cause.DEADLINE, Retry.NO, Origin.POOL),
  OVERLOADED(429, "rate_limit_error", Param.NONE, Cause.LOAD, Retry.YES, Origin.POOL),
  ENGINE_ERROR(502, "api_error", Param.NONE, Cause.FAULT, Retry.NO, Origin.POOL),
  /**
   * Workers or their engines died while they processed the request and before it had a token. The
   * request may be the cause, so the status is not one of 500 and above, after which clients retry
   * automatically.
   */
  WORKER_LOST(422, "invalid_request_error", Param.NONE, Cause.REQUEST, Retry.NO, Origin.POOL),
  /**
   * The part of the answer that is in the reply topic cannot be read back, so that it cannot be
   * continued.
   */
  REPLY_UNREADABLE(500, "reply_error", Param.NONE, Cause.FAULT, Retry.NO, Origin.POOL),
  CANCELLED(499, "cancelled_error", Param.NONE, Cause.CALLER, Retry.UNSPECIFIED, Origin.POOL),
  /** Another tenant has a request with the same id. */
  REQUEST_ID_IN_USE(409, "invalid_request_error", Param.NONE, Cause.REQUEST, Retry.NO, Origin.POOL),
  QUOTA_EXCEEDED(429, "rate_limit_error", Param.NONE, Cause.LOAD, Retry.YES, Origin.GATEWAY),
  REPLY_TRUNCATED(410, "reply_error", Param.NONE, Cause.FAULT, Retry.UNSPECIFIED, Origin.CLIENT),
  /** A reader found no reply to a request of that id. */
  REQUEST_NOT_FOUND(
      404, "not_found_error", Param.NONE, Cause.REQUEST, Retry.UNSPECIFIED, Origin.CLIENT),
  /** Kafka cannot be reached, or the client was closed. */
  UNAVAILABLE(503, "api_error", Param.NONE, Cause.UNREACHABLE, Retry.YES, Origin.CLIENT);

  /** Why a request ended with the error. */
  public enum Cause {
    /** The request itself, or so it seems: another run would end in the same way. */
    REQUEST,
    /** Its caller does not want the answer any more. */
    CALLER,
    /** Its deadline passed. */
    DEADLINE,
    /** There is no room for it at the moment. */
    LOAD,
    /** Something is broken. */
    FAULT,
    /** The log cannot be reached, so that nothing is known of the request itself. */
    UNREACHABLE
  }

  /** Whether a client should send the request again by itself. */
  public enum Retry {
    /** The request never began. */
    YES,
    /** A retry would repeat the cost of failed attempts, or fail again. */
    NO,
    /** The client follows its own rule for the status. */
    UNSPECIFIED
  }

  /** Who produces the error. */
  public enum Origin {
    /** Routers and workers, in the reply topic. Clients may also produce it on their own. */
    POOL,
    /** Gateways only. */
    GATEWAY,
    /** Those that read answers, never the pool. */
    CLIENT
  }

  /** Which field of the request is at fault. */
  private enum Param {
    NONE,
    MODEL,
    MESSAGES,
    /** The one that the message begins with. */
    IN_MESSAGE;

    private static final Pattern FIELD = Pattern.compile("'([a-zA-Z0-9_.\\[\\]]+)' ");

    Optional<String> in(String message) {
      return switch (this) {
        case NONE -> Optional.empty();
        case MODEL -> Optional.of("model");
        case MESSAGES -> Optional.of("messages");
        case IN_MESSAGE -> {
          Matcher field = FIELD.matcher(message);
          yield field.lookingAt() ? Optional.of(field.group(1)) : Optional.empty();
        }
      };
    }
  }

  private final int status;
  private final String type;
  private final Param param;
  private final Cause cause;
  private final Retry retry;
  private final Origin origin;

  ErrorKind(int status, String type, Param param, Cause cause, Retry retry, Origin origin) {
    this.status = status;
    this.type = type;
    this.param = param;
    this.cause = cause;
    this.retry = retry;
    this.origin = origin;
  }

  /** Returns the HTTP status. */
  public int status() {
    return status;
  }

  /** Returns OpenAI's name for the class of the error, such as {@code rate_limit_error}. */
  public String type() {
    return type;
  }

  /** Returns the field of the request that an error with this message is about, if there is one. */
  public Optional<String> param(String message) {
    return param.in(message);
  }

  /** Returns why the request ended. */
  public Cause cause() {
    return cause;
  }

  /** Returns whether a client should send the request again by itself. */
  public Retry retry() {
    return retry;
  }

  /** Returns who produces the error. */
  public Origin origin() {
    return origin;
  }

  /**
   * Returns whether another run of a request would end in the same way that got an error with an
   * HTTP status. The status need not be one of the pool.
   */
  public static boolean isSettled(int status) {
    return status >= 400
        && status < 500
        && Stream.of(values())
            .filter(kind -> kind.status == status)
            .allMatch(kind -> kind.cause == Cause.REQUEST);
  }

  /** Returns whether the request was stopped, rather than failed: what it used is counted. */
  public boolean isStopped() {
    return cause == Cause.CALLER || cause == Cause.DEADLINE;
  }

  /** Returns whether the log cannot be reached: nothing is known of the request itself. */
  public boolean isUnreachable() {
    return cause == Cause.UNREACHABLE;
  }

  /**
   * Returns whether the request leaves a dead letter. A cancelled one does not, and neither does
   * one that was refused for overload, because its sender can retry. A redriven request does,
   * because no client sends it again.
   */
  public boolean leavesDeadLetter(boolean isRedriven) {
    return switch (cause) {
      case CALLER -> false;
      case LOAD -> isRedriven;
      case REQUEST, DEADLINE, FAULT, UNREACHABLE -> true;
    };
  }

  /** Returns the stable name that programs compare with, such as {@code deadline_exceeded}. */
  public String code() {
    return name().toLowerCase(Locale.ROOT);
  }

  /** Parses a code; empty if it is unknown. */
  public static Optional<ErrorKind> parse(String code) {
    for (ErrorKind kind : values()) {
      if (kind.code().equals(code)) {
        return Optional.of(kind);
      }
    }
    return Optional.empty();
  }

  /** Returns the error in OpenAI's format: {@code {"error":{"message","type","code"}}}. */
  public byte[] toJson(String message) {
    return toJson(message, OptionalLong.empty());
  }

  /**
   * Returns the error like {@link #toJson(String)}, with the time in milliseconds after which a
   * retry makes sense.
   */
  public byte[] toJson(String message, OptionalLong retryAfterMillis) {
    ObjectNode root = Json.mapper().createObjectNode();
    ObjectNode error = root.putObject("error");
    error.put("message", message).put("type", type).put("code", code()).put("status", status);
    retryAfterMillis.ifPresent(millis -> error.put("retry_after_ms", millis));
    return Json.bytes(root);
  }
}
