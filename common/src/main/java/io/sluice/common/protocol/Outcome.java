package io.sluice.common.protocol;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What a worker reports of a lease; in JSON one flat object: the lease, {@code type}, and the
 * event's own fields.
 *
 * <p>{@code started}, {@code returned} and {@code completed} are sent only after the last reply
 * record that they cover is acknowledged.
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
   * @param ttftMillis from the request's append time to its first token
   */
  public record Started(
      String replyTopic,
      int replyPartition,
      long offset,
      OptionalLong ttftMillis,
      OptionalInt cachedTokens)
      implements Event {}

  /**
   * The lease is alive.
   *
   * @param tokens output tokens in the log so far, over all attempts
   */
  public record Progress(int tokens) implements Event {}

  /**
   * The terminal record is in the log.
   *
   * @param cachedTokens prompt tokens that came from the engine's prefix cache; empty where the
   *     engine does not tell. Most tell it only at the end, too late for {@link Started}
   */
  public record Completed(
      String finishReason,
      int promptTokens,
      int completionTokens,
      long durationMillis,
      OptionalInt cachedTokens)
      implements Event {
    /** What an older peer does not send is empty. */
    @SuppressWarnings("ConstantValue") // absent JSON fields arrive as null
    public Completed {
      cachedTokens = cachedTokens == null ? OptionalInt.empty() : cachedTokens;
    }

    /** Of an engine that does not tell what it had cached. */
    public Completed(
        String finishReason, int promptTokens, int completionTokens, long durationMillis) {
      this(finishReason, promptTokens, completionTokens, durationMillis, OptionalInt.empty());
    }
  }

  /**
   * The attempt failed.
   *
   * @param status the engine's HTTP status, 0 where there was none
   * @param code a short stable name of what failed, e.g. {@code connect}, {@code stall}
   * @param retriable whether another worker may succeed
   * @param tokens output tokens in the log, over all attempts
   */
  public record Failed(
      int status,
      String code,
      String message,
      boolean retriable,
      OptionalLong retryAfterMillis,
      int tokens)
      implements Event {
    /** The code of an attempt that could not read what is in the log. */
    public static final String REPLY_UNREADABLE = "reply_unreadable";

    /**
     * The code of an attempt whose engine died with it. It may be what killed it; the breakers know
     * already, and go by whether the engine is there.
     */
    public static final String ENGINE_GONE = "engine_gone";

    private static final int SERVER_ERROR = 500;

    /** What fails between a worker and its engine, where there is no HTTP status to tell. */
    private static final Set<String> ENGINE_CODES =
        Set.of(
            "connect",
            "head_timeout",
            "first_token_timeout",
            "stall",
            "cut",
            "garbled",
            "abort",
            "engine_refused");

    /**
     * What fails in the pool itself, as workers call it. A worker that breaks over a request is
     * none of it: others would break too.
     */
    private static final Set<String> POOL_CODES =
        Set.of(REPLY_UNREADABLE, "reply_unwritable", "not_resumable");

    /** Whether the worker could not write the error itself, so that the router is to. */
    public boolean leavesErrorToRouter() {
      return code.equals(ErrorKind.ANSWER_TOO_LARGE.code());
    }

    /** Whether its engine died with it. */
    public boolean isEngineGone() {
      return code.equals(ENGINE_GONE);
    }

    /** Whether the worker could not read what earlier attempts have answered. */
    public boolean isUnreadable() {
      return retriable && code.equals(REPLY_UNREADABLE);
    }

    /** Whether neither the engine nor the request is to blame. */
    public boolean blamesPool() {
      return retriable && status == 0 && POOL_CODES.contains(code);
    }

    /** Whether the engine is to blame, rather than the request, the worker or the broker. */
    public boolean blamesEngine() {
      return retriable && (status >= SERVER_ERROR || ENGINE_CODES.contains(code));
    }
  }

  /** The worker gives the assignment back, through no fault of the request. */
  public record Returned(ReturnReason reason, int tokens) implements Event {}

  /** Another lease had claimed the request before. */
  public record Superseded() implements Event {}

  /** The worker has ended it on the router's word; it wrote the terminal record. */
  public record Cancelled() implements Event {}

  /** The deadline passed; the worker wrote the terminal record. */
  public record Expired() implements Event {}

  /** Why a worker gives an assignment back. */
  public enum ReturnReason {
    BREAKER_OPEN,
    DRAINING,
    NO_SLOT,
    STALE,
    EVICTED
  }

  /** The outcome as JSON. */
  public byte[] toJson() {
    ObjectNode json = Json.mapper().createObjectNode();
    json.put("type", typeOf(event));
    json.setAll((ObjectNode) Json.mapper().valueToTree(lease));
    json.setAll((ObjectNode) Json.mapper().valueToTree(event));
    return Json.bytes(json);
  }

  /** Reads an outcome; empty if it is of a type or shape that this version does not know. */
  public static Optional<Outcome> parse(byte @Nullable [] json) {
    try {
      return read(Json.tree(json));
    } catch (IOException e) {
      return Optional.empty();
    }
  }

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

  @SuppressWarnings("ConstantValue") // absent JSON fields arrive as null
  private static boolean isWhole(LeaseRef lease) {
    return isShort(lease.requestId())
        && isShort(lease.lease())
        && isShort(lease.incarnation())
        && lease.worker() != null
        && Topics.isWorkerId(lease.worker())
        && lease.attempt() > 0
        && lease.attempt() <= MOST_ATTEMPTS;
  }

  /** What names a lease is stored with its request, up to twenty times. */
  private static boolean isShort(@Nullable String name) {
    return name != null && name.length() <= MAX_NAME_LENGTH;
  }

  @SuppressWarnings("ConstantValue") // absent JSON fields arrive as null
  private static boolean isWhole(Event event) {
    return switch (event) {
      case Started started -> started.replyTopic() != null && started.offset() >= 0;
      case Completed completed -> completed.finishReason() != null;
      case Failed failed -> failed.code() != null && failed.message() != null;
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
      case "returned" -> Optional.of(Returned.class);
      case "superseded" -> Optional.of(Superseded.class);
      case "cancelled" -> Optional.of(Cancelled.class);
      case "expired" -> Optional.of(Expired.class);
      default -> Optional.empty();
    };
  }
}
