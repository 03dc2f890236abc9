package io.sluice.worker.engine;

import io.sluice.common.protocol.ErrorKind;
import io.sluice.common.protocol.FailureCode;
import java.util.OptionalLong;

/** The ways in which an engine can fail a request, each with what can be done about it. */
public sealed interface EngineFailure {

  /** Returns one sentence for a person. */
  String message();

  /** Returns the engine's HTTP status; 0 where there was none. */
  default int status() {
    return 0;
  }

  /**
   * Returns whether the engine may be dead, or may no longer serve this worker. False for an engine
   * that is only silent, because that takes long to find out.
   */
  default boolean mayBeDeath() {
    return false;
  }

  /** Returns whether the engine may have received the request and then ended without an answer. */
  default boolean isUnanswered() {
    return false;
  }

  /** Returns how long the engine asks clients to wait before they retry, in milliseconds. */
  default OptionalLong retryAfterMillis() {
    return OptionalLong.empty();
  }

  /** Another engine may succeed. */
  sealed interface Fault extends EngineFailure {
    /** Returns what the router is told. */
    FailureCode code();
  }

  /**
   * There was no connection, or it was reset before the engine answered.
   *
   * @param reach how far the request got; if it was refused, the engine is down
   */
  record Unreachable(String message, Transport.Reach reach) implements Fault {
    @Override
    public FailureCode code() {
      return FailureCode.CONNECT;
    }

    @Override
    public boolean mayBeDeath() {
      return true;
    }

    @Override
    public boolean isUnanswered() {
      return reach == Transport.Reach.SENT;
    }
  }

  /**
   * Nothing arrived for too long.
   *
   * @param code {@code HEAD_TIMEOUT}, {@code FIRST_TOKEN_TIMEOUT} or {@code STALL}
   */
  record Silent(FailureCode code, String message) implements Fault {}

  /**
   * The stream ended early, or its content is not what engines send.
   *
   * @param code {@code CUT}, {@code GARBLED} or {@code ABORT}
   */
  record Broken(FailureCode code, String message) implements Fault {
    @Override
    public boolean mayBeDeath() {
      return code == FailureCode.CUT;
    }
  }

  /**
   * The engine answers, but cannot serve the request now.
   *
   * @param status a server error, a redirection, or a temporary client error: 408, 425, 429
   */
  record Unable(int status, String message, OptionalLong retryAfterMillis) implements Fault {
    /**
     * Returns whether a client error says that the engine, or a proxy before it, may answer later.
     */
    public static boolean isTemporary(int status) {
      return status == 408 || status == 425 || status == 429;
    }

    @Override
    public FailureCode code() {
      boolean isTemporary = status >= 400 && status < 500;
      return isTemporary ? FailureCode.ENGINE_OVERLOADED : FailureCode.ENGINE_ERROR;
    }

    @Override
    public boolean mayBeDeath() {
      return status >= 500;
    }
  }

  /**
   * The request itself is wrong.
   *
   * @param kind what the caller is told
   * @param blamesLimit whether the engine objects to the limit of output tokens, which it may have
   *     lowered itself to the room that the prompt leaves
   */
  record Rejected(int status, ErrorKind kind, String message, boolean blamesLimit)
      implements EngineFailure {
    /** Returns the same rejection, reported as another kind of error. */
    public Rejected as(ErrorKind other) {
      return new Rejected(status, other, message, blamesLimit);
    }

    /** Returns the same of a request that is right: the engine is at fault. */
    public Unable asFault() {
      return new Unable(500, message, OptionalLong.empty());
    }
  }

  /**
   * The engine does not accept its worker's key, or does not know the model or the endpoint that
   * the worker offers. The pool is misconfigured; the request is not at fault.
   */
  record Refused(int status, String message) implements Fault {
    @Override
    public FailureCode code() {
      return FailureCode.ENGINE_REFUSED;
    }

    @Override
    public boolean mayBeDeath() {
      return true;
    }

    /** Returns whether a status says that the engine does not accept a key. */
    public static boolean isOfKey(int status) {
      return status == 401 || status == 403;
    }

    /** Returns what the operator can do. */
    public String hint() {
      return status == 404
          ? "set SLUICE_MODEL to a model that its /v1/models lists, and SLUICE_ENGINE_URL to an OpenAI-compatible server"
          : "set SLUICE_ENGINE_API_KEY to a key that the engine takes";
    }
  }

  /** The worker itself cancelled the generation. */
  record Cancelled() implements EngineFailure {
    @Override
    public String message() {
      return "the generation was cancelled";
    }
  }
}
