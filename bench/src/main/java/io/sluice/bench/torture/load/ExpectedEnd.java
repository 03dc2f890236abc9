package io.sluice.bench.torture.load;

import java.util.Set;

/**
 * How requests of a kind may end according to docs/protocol.md. Change it together with that page.
 *
 * @param mayComplete whether an answer is allowed
 * @param errors the codes of the errors that are allowed
 */
public record ExpectedEnd(boolean mayComplete, Set<String> errors) {
  /** Errors that a pool gives rightly when it is too slow for its load. */
  public static final Set<String> OF_TIME = Set.of("deadline_exceeded", "overloaded");

  /** Errors without a dead letter: the caller cancelled the request, or may send it again. */
  public static final Set<String> WITHOUT_DEAD_LETTER = Set.of("cancelled", "overloaded");

  /** Engine failures after which any request may end with {@code engine_error}. */
  public static final int MOST_FAILURES = 3;

  /** Workers that died, one after the other, before a request gave a token: then it is blamed. */
  public static final int DEATHS_TO_BLAME = 2;

  /**
   * How many workers a prompt may kill: two that count, and before them one that died without
   * reporting that it had the request.
   */
  public static final int MOST_WORKERS_KILLED = 3;

  /**
   * How many engines a prompt may kill. The links accept connections on behalf of dead engines, so
   * some deaths look like engines that do not answer, and some engines are back before they are
   * probed.
   */
  public static final int MOST_ENGINES_KILLED = MOST_WORKERS_KILLED + MOST_FAILURES - 1;

  /** The error and dead letter for a tenant that uses the request id of another tenant. */
  public static final Set<String> ID_TAKEN = Set.of("request_id_in_use");

  public ExpectedEnd {
    errors = Set.copyOf(errors);
  }

  public static ExpectedEnd of(RequestKind kind) {
    return switch (kind) {
      case CHAT,
          LONG,
          NOT_STREAMED,
          COMPLETION,
          LONG_COMPLETION,
          BULK,
          CHOICES,
          LOGPROBS,
          SCHEMA,
          REPEATED,
          OVER_HTTP,
          BATCH_LINE ->
          answered();
      case SHORT_DEADLINE -> answeredOr("deadline_exceeded", "overloaded");
      case CANCELLED -> answeredOr("cancelled");
      case INVALID_JSON, BULK_BEYOND_RETENTION -> refused("invalid_request");
      case UNKNOWN_MODEL -> refused("model_not_found");
      case TOO_LONG -> refused("context_length_exceeded");
      case UNSERVED_BULK -> refused("deadline_exceeded");
      case CANCELLED_BULK -> refused("cancelled");
      case LARGE -> refused("deadline_exceeded", "overloaded");
      case KILLS_WORKERS, KILLS_ENGINES -> refused("worker_lost");
      case LOST_REPLY_TOPIC -> answeredOr("invalid_request", "deadline_exceeded");
    };
  }

  private static ExpectedEnd answered() {
    return new ExpectedEnd(true, Set.of());
  }

  private static ExpectedEnd answeredOr(String... errors) {
    return new ExpectedEnd(true, Set.of(errors));
  }

  private static ExpectedEnd refused(String... errors) {
    return new ExpectedEnd(false, Set.of(errors));
  }
}
