package io.sluice.bench.torture.load;

/** What callers send; {@link Ending} says how each may end. */
public enum RequestKind {
  /** A streamed chat. */
  CHAT(24),
  /** One of 10 to 40 s, so that something happens while it runs. */
  LONG(22),
  /** A chat whose answer comes as a whole. */
  WHOLE(8),
  /** A streamed text completion. */
  COMPLETION(8),
  /** A long text completion, as a whole. */
  LONG_COMPLETION(3),
  /** By the bulk topic. */
  BULK(8),
  /** Two choices, streamed: begins anew when it is interrupted. */
  CHOICES(4),
  /** With log probabilities, streamed: begins anew as well. */
  LOGPROBS(4),
  /** With a JSON schema. */
  SCHEMA(2),
  /** Sent twice under one id. */
  REPEATED(4),
  /** Long, and wanted within seconds only: it may be refused where it would wait for longer. */
  HURRIED(4),
  /** Long, and cancelled after a while. */
  CANCELLED(4),
  /** No JSON. */
  BROKEN(2),
  /** For a model that nobody knows. */
  UNKNOWN_MODEL(2),
  /** Longer than the model takes. */
  TOO_LONG(1),

  /** By the bulk topic, for a model without workers; its deadline passes. */
  UNSERVED_BULK(0),
  /** The same, wanted within hours, and cancelled after a while. */
  PUT_OFF_BULK(0),
  /** By the bulk topic, wanted for longer than the pool keeps records. */
  TOO_FAR_BULK(0),
  /** Large, for a model without workers: more of them than a router has room for. */
  LARGE(0),
  /** Each worker that serves it is killed. */
  POISONOUS(0),
  /** Each engine that serves it is killed. */
  DEADLY_TO_ENGINES(0),
  /** Answered at a topic that is deleted, or has too few replicas for a while. */
  ASTRAY(0);

  private final int weight;

  RequestKind(int weight) {
    this.weight = weight;
  }

  /** How many of a hundred or so; 0 for what only blows send. */
  public int weight() {
    return weight;
  }

  public boolean isBulk() {
    return switch (this) {
      case BULK, UNSERVED_BULK, PUT_OFF_BULK, TOO_FAR_BULK -> true;
      default -> false;
    };
  }

  /** Whether tokens are published as they come, not only every two seconds. */
  boolean isStreamed() {
    return switch (this) {
      case WHOLE, LONG_COMPLETION, SCHEMA -> false;
      default -> true;
    };
  }
}
