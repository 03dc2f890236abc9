package io.sluice.common.protocol;

import com.fasterxml.jackson.annotation.JsonEnumDefaultValue;
import java.util.Locale;

/**
 * Why an attempt failed whose request another worker may still answer. In JSON it is its {@link
 * #code}.
 */
public enum FailureCode {
  /** The engine could not be reached, or it reset the connection before it responded. */
  CONNECT(Blame.ENGINE, Charge.FAILURE),
  /** The engine accepted the request but sent no response head. */
  HEAD_TIMEOUT(Blame.ENGINE, Charge.FAILURE),
  /** The engine sent a response head but no token. */
  FIRST_TOKEN_TIMEOUT(Blame.ENGINE, Charge.FAILURE),
  /** The engine stopped sending tokens. */
  STALL(Blame.ENGINE, Charge.FAILURE),
  /** The engine's stream ended before the answer was complete. */
  CUT(Blame.ENGINE, Charge.FAILURE),
  /** The engine sent data that violates its protocol. */
  GARBLED(Blame.ENGINE, Charge.FAILURE),
  /** The engine ended the answer with {@code finish_reason} {@code abort}. */
  ABORT(Blame.ENGINE, Charge.FAILURE),
  /** The engine answered with a server error, or sent one in its stream. */
  ENGINE_ERROR(Blame.ENGINE, Charge.FAILURE),
  /** The engine rejects the key, model or path that its worker is configured with. */
  ENGINE_REFUSED(Blame.ENGINE, Charge.FAILURE),
  /** The engine is busy: status 408, 425 or 429. This says nothing about its health. */
  ENGINE_OVERLOADED(Blame.NONE, Charge.NOTHING),
  /**
   * The engine died while it processed the attempt. The request may be the cause. Breakers do not
   * count this code because they already watch whether the engine is reachable.
   */
  ENGINE_GONE(Blame.NONE, Charge.DEATH),
  /** The part of the answer that is in the reply topic could not be read. */
  REPLY_UNREADABLE(Blame.POOL, Charge.SCAN),
  /** The answer could not be written to the reply topic. */
  REPLY_UNWRITABLE(Blame.POOL, Charge.NOTHING),
  /** Another attempt has written output that this one cannot continue. */
  NOT_RESUMABLE(Blame.POOL, Charge.NOTHING),
  /** The worker itself failed on the request. Other workers may fail on it too. */
  WORKER_ERROR(Blame.POOL, Charge.FAILURE),
  /** A code that this version does not know. */
  @JsonEnumDefaultValue
  OTHER(Blame.NONE, Charge.FAILURE);

  /** Who caused the failure. Never the caller: for caller errors see {@link Outcome.Rejected}. */
  public enum Blame {
    /** The engine: circuit breakers count the failure against it. */
    ENGINE,
    /** The worker, Kafka or Redis. */
    POOL,
    /** Nothing is broken. */
    NONE
  }

  /** The budget of the request that the failure is charged to. */
  public enum Charge {
    /** The number of attempts that may fail. */
    FAILURE(ErrorKind.ENGINE_ERROR),
    /** The number of reply log scans that may fail. */
    SCAN(ErrorKind.REPLY_UNREADABLE),
    /**
     * The number of workers and engines that may die while they process the request and before it
     * has a token. A death after the first token is free if the answer got further, and a failure
     * otherwise.
     */
    DEATH(ErrorKind.WORKER_LOST),
    /** No budget: the request is retried with growing delays until its deadline. */
    NOTHING(ErrorKind.DEADLINE_EXCEEDED);

    private final ErrorKind error;

    Charge(ErrorKind error) {
      this.error = error;
    }

    /** Returns the error that the caller receives when the budget is used up. */
    public ErrorKind error() {
      return error;
    }
  }

  private final Blame blame;
  private final Charge charge;

  FailureCode(Blame blame, Charge charge) {
    this.blame = blame;
    this.charge = charge;
  }

  /** Returns the stable name that programs compare with, such as {@code first_token_timeout}. */
  public String code() {
    return name().toLowerCase(Locale.ROOT);
  }

  /** Returns who caused the failure. */
  public Blame blame() {
    return blame;
  }

  /** Returns the budget that is charged. */
  public Charge charge() {
    return charge;
  }
}
