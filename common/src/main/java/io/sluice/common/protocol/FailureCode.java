package io.sluice.common.protocol;

import com.fasterxml.jackson.annotation.JsonEnumDefaultValue;

/**
 * Why an attempt failed that another worker may still bring to an answer. In JSON the name in lower
 * case, {@code first_token_timeout}.
 */
public enum FailureCode {
  /** No connection to the engine, or one that was reset before the engine answered. */
  CONNECT(Blame.ENGINE, Charge.FAILURE),
  /** The engine took the request and sent no response head. */
  HEAD_TIMEOUT(Blame.ENGINE, Charge.FAILURE),
  /** The engine sent a response head and no token. */
  FIRST_TOKEN_TIMEOUT(Blame.ENGINE, Charge.FAILURE),
  /** The engine stopped sending tokens. */
  STALL(Blame.ENGINE, Charge.FAILURE),
  /** The engine's stream ended before the answer did. */
  CUT(Blame.ENGINE, Charge.FAILURE),
  /** The engine sent what no engine sends. */
  GARBLED(Blame.ENGINE, Charge.FAILURE),
  /** The engine ended the answer with {@code finish_reason} {@code abort}. */
  ABORT(Blame.ENGINE, Charge.FAILURE),
  /** The engine answered with a server error, or sent one in its stream. */
  ENGINE_ERROR(Blame.ENGINE, Charge.FAILURE),
  /** The engine does not accept its worker's key, model or path. */
  ENGINE_REFUSED(Blame.ENGINE, Charge.FAILURE),
  /** The engine is busy: 408, 425 or 429. It says nothing of how well it serves. */
  ENGINE_OVERLOADED(Blame.NOBODY, Charge.NOTHING),
  /**
   * The engine died with the attempt. The request may be what killed it; the breakers know of it
   * already, since they go by whether the engine is there.
   */
  ENGINE_GONE(Blame.NOBODY, Charge.DEATH),
  /** The part of the answer that is in the reply topic could not be read. */
  REPLY_UNREADABLE(Blame.POOL, Charge.SCAN),
  /** The answer could not be written to the reply topic. */
  REPLY_UNWRITABLE(Blame.POOL, Charge.NOTHING),
  /** Another attempt wrote meanwhile what this one cannot continue. */
  NOT_RESUMABLE(Blame.POOL, Charge.NOTHING),
  /** The worker itself broke at the request; other workers may break at it too. */
  WORKER_ERROR(Blame.POOL, Charge.FAILURE),
  /** A code that this version does not know. */
  @JsonEnumDefaultValue
  OTHER(Blame.NOBODY, Charge.FAILURE);

  /** Who is to blame; a caller never is: see {@link Outcome.Rejected}. */
  public enum Blame {
    /** Circuit breakers count it against the engine. */
    ENGINE,
    /** The worker, Kafka or Redis. */
    POOL,
    /** Nothing is broken. */
    NOBODY
  }

  /** Which of the request's budgets it is charged to. */
  public enum Charge {
    /** The attempts that may fail; the caller is then told {@link ErrorKind#ENGINE_ERROR}. */
    FAILURE,
    /** The scans that may fail; {@link ErrorKind#REPLY_UNREADABLE}. */
    SCAN,
    /**
     * The workers and engines that may die at it before it gives a token; {@link
     * ErrorKind#WORKER_LOST}. After a token it is free, or a failure if it got no further.
     */
    DEATH,
    /** None: it is retried, ever later, until its deadline. */
    NOTHING
  }

  private final Blame blame;
  private final Charge charge;

  FailureCode(Blame blame, Charge charge) {
    this.blame = blame;
    this.charge = charge;
  }

  /** Who is to blame. */
  public Blame blame() {
    return blame;
  }

  /** Which budget it is charged to. */
  public Charge charge() {
    return charge;
  }
}
