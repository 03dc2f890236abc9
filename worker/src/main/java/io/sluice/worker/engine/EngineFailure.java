package io.sluice.worker.engine;

import io.sluice.common.protocol.ErrorKind;
import io.sluice.common.protocol.FailureCode;
import java.util.OptionalLong;

/** How an engine can fail a request, each with what can be done about it. */
public sealed interface EngineFailure {

  /** One sentence for a person. */
  String message();

  /** The engine's HTTP status; 0 where there was none. */
  default int status() {
    return 0;
  }

  /**
   * Whether it may be that the engine is gone, or serves its worker no more; of one that is only
   * silent that takes long to tell.
   */
  default boolean mayBeDeath() {
    return false;
  }

  /** Whether the engine took the request, as far as is known, and ended without an answer. */
  default boolean isUnanswered() {
    return false;
  }

  /** How long the engine asks to be left alone, in milliseconds. */
  default OptionalLong retryAfterMillis() {
    return OptionalLong.empty();
  }

  /** Another engine may succeed. */
  sealed interface Fault extends EngineFailure {
    /** What the router is told. */
    FailureCode code();
  }

  /**
   * No connection, or one that was reset before the engine answered.
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

    /** Whether nobody listens where the engine was. */
    public boolean isRefused() {
      return reach == Transport.Reach.REFUSED;
    }
  }

  /**
   * Nothing came for too long.
   *
   * @param code {@code HEAD_TIMEOUT}, {@code FIRST_TOKEN_TIMEOUT} or {@code STALL}
   */
  record Silent(FailureCode code, String message) implements Fault {}

  /**
   * The stream ended early, or what came is not what an engine sends.
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
   * The engine is there, but cannot.
   *
   * @param status a server error, a redirection, or one of the moment: 408, 425, 429
   */
  record Unable(int status, String message, OptionalLong retryAfterMillis) implements Fault {
    @Override
    public FailureCode code() {
      boolean isOfTheMoment = status >= 400 && status < 500;
      return isOfTheMoment ? FailureCode.ENGINE_OVERLOADED : FailureCode.ENGINE_ERROR;
    }

    @Override
    public boolean mayBeDeath() {
      return status >= 500;
    }
  }

  /**
   * The request is at fault.
   *
   * @param kind what the caller is told
   * @param blamesLimit whether it is the limit of output tokens that the engine does not take; it
   *     may have lowered that itself, to the room that the prompt leaves
   */
  record Rejected(int status, ErrorKind kind, String message, boolean blamesLimit)
      implements EngineFailure {
    /** The same, told as another kind. */
    public Rejected as(ErrorKind other) {
      return new Rejected(status, other, message, blamesLimit);
    }
  }

  /**
   * The engine does not let its worker in, or does not know the model or the endpoint that the
   * worker offers: the pool is at fault, and not the request.
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

    /** What the operator can do about it. */
    public String hint() {
      return status == 404
          ? "set SLUICE_MODEL to a model that its /v1/models lists, and SLUICE_ENGINE_URL to an OpenAI-compatible server"
          : "set SLUICE_ENGINE_API_KEY to a key that the engine takes";
    }
  }

  /** We ended it ourselves. */
  record Cancelled() implements EngineFailure {
    @Override
    public String message() {
      return "the generation was cancelled";
    }
  }
}
