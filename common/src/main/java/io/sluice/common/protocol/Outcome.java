package io.sluice.common.protocol;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.util.Locale;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;

/**
 * A worker's report about a lease. In JSON it is one flat object: the lease, {@code type}, and the
 * fields of the event.
 *
 * <p>{@code started}, {@code returned} and {@code completed} are sent only after Kafka has
 * acknowledged the last reply record that they cover.
 */
public record Outcome(LeaseRef lease, Event event) {

  private static final int MAX_NAME_LENGTH = 256;
  private static final int MOST_ATTEMPTS = 1_000_000_000;

  /** What happened. */
  public sealed interface Event {}

  /** The worker holds the assignment. */
  public record Accepted() implements Event {}

  /**
   * The first reply record is in the log.
   *
   * @param offset the offset of this attempt's first reply record
   * @param ttftMillis the time from the request's append time to its first token
   */
  public record Started(
      String replyTopic,
      int replyPartition,
      long offset,
      OptionalLong ttftMillis,
      OptionalInt cachedTokens)
      implements Event {}

  /**
   * The worker is still processing the request.
   *
   * @param tokens output tokens in the log so far, over all attempts
   */
  public record Progress(int tokens) implements Event {}

  /**
   * The terminal record is in the log.
   *
   * @param cachedTokens prompt tokens that came from the engine's prefix cache; empty if the engine
   *     does not report them. Most engines report them only at the end, too late for {@link
   *     Started}
   */
  public record Completed(
      String finishReason,
      int promptTokens,
      int completionTokens,
      long durationMillis,
      OptionalInt cachedTokens)
      implements Event {
    /** Replaces the fields that an older peer did not send by empty values. */
    @SuppressWarnings("ConstantValue") // absent JSON fields arrive as null
    public Completed {
      cachedTokens = cachedTokens == null ? OptionalInt.empty() : cachedTokens;
    }

    /** Creates the event for an engine that does not report cached tokens. */
    public Completed(
        String finishReason, int promptTokens, int completionTokens, long durationMillis) {
      this(finishReason, promptTokens, completionTokens, durationMillis, OptionalInt.empty());
    }
  }

  /**
   * The attempt failed. Another attempt may succeed.
   *
   * @param status the engine's HTTP status; 0 if there was no response
   * @param retryAfterMillis how long the engine asked to receive no requests
   * @param tokens output tokens in the log, over all attempts
   */
  public record Failed(
      FailureCode code, int status, String message, OptionalLong retryAfterMillis, int tokens)
      implements Event {

    /** Creates the event for a failure without an HTTP response. */
    public Failed(FailureCode code, String message, int tokens) {
      this(code, 0, message, OptionalLong.empty(), tokens);
    }

    /** Returns whether circuit breakers count the failure. */
    public boolean blamesEngine() {
      return code.blame() == FailureCode.Blame.ENGINE;
    }
  }

  /**
   * The request has ended with an error that any worker would give.
   *
   * @param error the error that the caller receives
   * @param status the engine's HTTP status; 0 if there was no response
   * @param written whether the error is in the log; if it is not, the router writes it
   */
  public record Rejected(ErrorKind error, int status, String message, boolean written)
      implements Event {}

  /** The worker hands the request back, through no fault of the request. */
  public record Returned(ReturnReason reason, int tokens) implements Event {}

  /** Another lease had already claimed the request. */
  public record Superseded() implements Event {}

  /** The worker ended the attempt on the router's order and wrote the terminal record. */
  public record Cancelled() implements Event {}

  /** The deadline passed, and the worker wrote the terminal record. */
  public record Expired() implements Event {}

  /** Why a worker hands a request back. */
  public enum ReturnReason {
    BREAKER_OPEN,
    DRAINING,
    NO_SLOT,
    STALE,
    EVICTED;

    /** Returns the stable name that programs compare with, such as {@code no_slot}. */
    public String code() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  /** Returns the outcome as JSON. */
  public byte[] toJson() {
    ObjectNode json = Json.mapper().createObjectNode();
    json.put("type", typeOf(event));
    json.setAll((ObjectNode) Json.mapper().valueToTree(lease));
    json.setAll((ObjectNode) Json.mapper().valueToTree(event));
    return Json.bytes(json);
  }

  /** Reads an outcome; empty if this version does not know its type or format. */
  static Optional<Outcome> read(JsonNode node) {
    try {
      Optional<Class<? extends Event>> type = eventOf(node.path("type").asText());
      if (type.isEmpty()) {
        return Optional.empty();
      }
      LeaseRef lease = Json.mapper().treeToValue(node, LeaseRef.class);
      Event event = Json.mapper().treeToValue(node, type.get());
      return isWhole(lease) && isWhole(event)
          ? Optional.of(new Outcome(lease, event))
          : Optional.empty();
    } catch (IOException e) {
      return Optional.empty();
    }
  }

  private static boolean isWhole(LeaseRef lease) {
    return isShort(lease.requestId())
        && isShort(lease.lease())
        && isShort(lease.incarnation())
        && Topics.isWorkerId(lease.worker())
        && lease.attempt() > 0
        && lease.attempt() <= MOST_ATTEMPTS;
  }

  /**
   * The names of a lease are stored with its request, up to twenty times, so their length is
   * limited.
   */
  private static boolean isShort(String name) {
    return name.length() <= MAX_NAME_LENGTH;
  }

  @SuppressWarnings("ConstantValue") // absent JSON fields arrive as null
  private static boolean isWhole(Event event) {
    return switch (event) {
      case Started started -> started.replyTopic() != null && started.offset() >= 0;
      case Completed completed -> completed.finishReason() != null;
      case Failed failed -> failed.code() != null && failed.message() != null;
      case Rejected rejected -> rejected.error() != null && rejected.message() != null;
      case Returned returned -> returned.reason() != null;
      case Accepted _, Progress _, Superseded _, Cancelled _, Expired _ -> true;
    };
  }

  private static String typeOf(Event event) {
    return switch (event) {
      case Accepted ignored -> "accepted";
      case Started ignored -> "started";
      case Progress ignored -> "progress";
      case Completed ignored -> "completed";
      case Failed ignored -> "failed";
      case Rejected ignored -> "rejected";
      case Returned ignored -> "returned";
      case Superseded ignored -> "superseded";
      case Cancelled ignored -> "cancelled";
      case Expired ignored -> "expired";
    };
  }

  private static Optional<Class<? extends Event>> eventOf(String type) {
    return switch (type) {
      case "accepted" -> Optional.of(Accepted.class);
      case "started" -> Optional.of(Started.class);
      case "progress" -> Optional.of(Progress.class);
      case "completed" -> Optional.of(Completed.class);
      case "failed" -> Optional.of(Failed.class);
      case "rejected" -> Optional.of(Rejected.class);
      case "returned" -> Optional.of(Returned.class);
      case "superseded" -> Optional.of(Superseded.class);
      case "cancelled" -> Optional.of(Cancelled.class);
      case "expired" -> Optional.of(Expired.class);
      default -> Optional.empty();
    };
  }
}
