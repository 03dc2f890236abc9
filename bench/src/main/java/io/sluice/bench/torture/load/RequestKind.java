package io.sluice.bench.torture.load;

/** The kinds of requests; {@link ExpectedEnd} says how each may end. */
public enum RequestKind {
  /** A streamed chat. */
  CHAT(24),
  /** A streamed chat of 10 to 40 s, so that faults hit it while it runs. */
  LONG(22),
  /** A chat that is not streamed. */
  NOT_STREAMED(8),
  /** A streamed text completion. */
  COMPLETION(8),
  /** A long text completion that is not streamed. */
  LONG_COMPLETION(3),
  /** Sent by the bulk topic. */
  BULK(8),
  /** Streamed, with two choices: restarts when it is interrupted. */
  CHOICES(4),
  /** Streamed, with log probabilities: restarts when it is interrupted. */
  LOGPROBS(4),
  /** With a JSON schema. */
  SCHEMA(2),
  /** Sent twice under one id. */
  REPEATED(4),
  /** Long, with a deadline of seconds. It may be refused if it would wait too long. */
  SHORT_DEADLINE(4),
  /** Long, and cancelled after a while. */
  CANCELLED(4),
  /** A body that is not valid JSON. */
  INVALID_JSON(2),
  /** For a model that the pool does not know. */
  UNKNOWN_MODEL(2),
  /** Longer than the model's context. */
  TOO_LONG(1),

  /** Bulk for a model without workers; its deadline passes. */
  UNSERVED_BULK(0),
  /** Bulk for a model without workers, due in hours; it is cancelled. */
  CANCELLED_BULK(0),
  /** Bulk with a deadline beyond the retention of its topic. */
  BULK_BEYOND_RETENTION(0),
  /** Large, for a model without workers. More of them are sent than a router can hold. */
  LARGE(0),
  /** Kills each worker that serves it. */
  KILLS_WORKERS(0),
  /** Kills each engine that serves it. */
  KILLS_ENGINES(0),
  /** Answered on a topic that is deleted, or has too few replicas for a while. */
  LOST_REPLY_TOPIC(0),
  /** Sent to a gateway over HTTP. */
  OVER_HTTP(0),
  /** A line of a batch; a gateway sends it as bulk. */
  BATCH_LINE(0);

  private final int weight;

  RequestKind(int weight) {
    this.weight = weight;
  }

  /**
   * Returns its share of the planned load; the shares add up to 100. 0 for kinds that only faults
   * send.
   */
  public int weight() {
    return weight;
  }

  public boolean isBulk() {
    return switch (this) {
      case BULK, UNSERVED_BULK, CANCELLED_BULK, BULK_BEYOND_RETENTION, BATCH_LINE -> true;
      default -> false;
    };
  }

  /** Returns whether tokens are published as they are generated, not only every two seconds. */
  boolean isStreamed() {
    return switch (this) {
      case NOT_STREAMED, LONG_COMPLETION, SCHEMA -> false;
      default -> true;
    };
  }
}
