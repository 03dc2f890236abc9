package io.sluice.bench.torture.load;

import java.util.Set;

/**
 * How requests of a kind may end, by docs/protocol.md. This is the one place to change when that
 * page does.
 *
 * @param mayComplete whether an answer is right
 * @param errors codes of errors that are right
 */
public record Ending(boolean mayComplete, Set<String> errors) {
  /** Ends that a pool too slow for its load gives rightly. */
  public static final Set<String> OF_TIME = Set.of("deadline_exceeded", "overloaded");

  /** Who gets one of these has lost nothing: there is no dead letter. */
  public static final Set<String> WITHOUT_LETTER = Set.of("cancelled", "overloaded");

  /** Failures in engines after which any request may be given up as {@code engine_error}. */
  public static final int MOST_FAILURES = 3;

  /** Workers that a prompt may take with it, the first one perhaps without a word. */
  public static final int MOST_WORKERS_KILLED = 3;

  /**
   * Engines that a prompt may take with it. They are behind links that accept connections for them,
   * so of some it is only known that they do not answer, and some are back before anybody looks.
   */
  public static final int MOST_ENGINES_KILLED = MOST_WORKERS_KILLED + MOST_FAILURES - 1;

  /** What another tenant gets who uses an id that is taken, as an error and a dead letter. */
  public static final Set<String> ID_TAKEN = Set.of("request_id_in_use");

  public Ending {
    errors = Set.copyOf(errors);
  }

  public static Ending of(RequestKind kind) {
    return switch (kind) {
      case CHAT,
          LONG,
          WHOLE,
          COMPLETION,
          LONG_COMPLETION,
          BULK,
          CHOICES,
          LOGPROBS,
          SCHEMA,
          REPEATED ->
          answered();
      case HURRIED -> answeredOr("deadline_exceeded", "overloaded");
      case CANCELLED -> answeredOr("cancelled");
      case BROKEN, TOO_FAR_BULK -> refused("invalid_request");
      case UNKNOWN_MODEL -> refused("model_not_found");
      case TOO_LONG -> refused("context_length_exceeded");
      case UNSERVED_BULK -> refused("deadline_exceeded");
      case PUT_OFF_BULK -> refused("cancelled");
      case LARGE -> refused("deadline_exceeded", "overloaded");
      case POISONOUS, DEADLY_TO_ENGINES -> refused("worker_lost");
      case ASTRAY -> answeredOr("invalid_request", "deadline_exceeded");
    };
  }

  private static Ending answered() {
    return new Ending(true, Set.of());
  }

  private static Ending answeredOr(String... errors) {
    return new Ending(true, Set.of(errors));
  }

  private static Ending refused(String... errors) {
    return new Ending(false, Set.of(errors));
  }
}
