package io.sluice.common.protocol;

import static io.sluice.common.protocol.HeaderNames.DEADLINE;
import static io.sluice.common.protocol.HeaderNames.ENDPOINT;
import static io.sluice.common.protocol.HeaderNames.FALLBACK_MODEL;
import static io.sluice.common.protocol.HeaderNames.PRIORITY;
import static io.sluice.common.protocol.HeaderNames.REPLY_PARTITION;
import static io.sluice.common.protocol.HeaderNames.REPLY_TO;
import static io.sluice.common.protocol.HeaderNames.REQUEST_ID;
import static io.sluice.common.protocol.HeaderNames.SLO_TTFT_MS;
import static io.sluice.common.protocol.HeaderNames.SPRING_REPLY_PARTITION;
import static io.sluice.common.protocol.HeaderNames.SPRING_REPLY_TOPIC;
import static io.sluice.common.protocol.HeaderNames.TENANT;
import static io.sluice.common.protocol.HeaderNames.TIER;
import static io.sluice.common.protocol.HeaderNames.TIMEOUT_MS;

import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.HexFormat;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.header.Headers;

/**
 * A request's record headers.
 *
 * @param replyTopic as requested; not yet checked against the existing topics
 * @param replyPartition as requested; empty for the partition of the request id
 * @param timeoutMillis the time between the broker's append time and the deadline
 * @param deadlineEpochMillis the deadline, in the pool's time
 * @param sloTtftMillis the longest time from the append time to the first token, beyond which the
 *     answer is not wanted
 * @param tier a quality tier, or {@code auto}
 * @param fallbackModel overrides the pool's fallback model; {@link #NO_FALLBACK} disables it
 */
public record RequestHeaders(
    String requestId,
    Optional<String> replyTopic,
    OptionalInt replyPartition,
    Endpoint endpoint,
    OptionalLong timeoutMillis,
    OptionalLong deadlineEpochMillis,
    OptionalLong sloTtftMillis,
    Priority priority,
    String tenant,
    Optional<String> tier,
    Optional<String> fallbackModel) {

  /** The tenant of a request that names none. */
  public static final String DEFAULT_TENANT = "default";

  /** Names the fallback model of a request that no other model may serve. */
  public static final String NO_FALLBACK = "none";

  /**
   * The end of the year 9999. Later deadlines are reduced to it, so that adding a grace period to a
   * deadline never overflows.
   */
  static final long LATEST_DEADLINE_EPOCH_MILLIS = 253_402_300_799_999L;

  private static final int MAX_REQUEST_ID_LENGTH = 256;
  private static final int SHOWN_CHARACTERS = 64;

  /** The character that a decoder substitutes for bytes that are not UTF-8. */
  private static final char REPLACEMENT = '\uFFFD';

  /**
   * The headers as far as they can be read, with the first problem that was found.
   *
   * @param problem one sentence for the caller; empty if the headers are valid
   */
  public record Parsed(RequestHeaders headers, Optional<String> problem) {}

  /**
   * Reads a request's headers. Never fails: a malformed header has its default value in the result
   * and is described in the problem, so that the caller can still be answered.
   *
   * @param generatedId the id for a request that names none
   */
  public static Parsed parse(Headers headers, String generatedId, Priority defaultPriority) {
    return new Reader(headers).read(generatedId, defaultPriority);
  }

  /**
   * Returns the deadline in epoch milliseconds of the pool's time. A deadline from {@code
   * timeout-ms} does not depend on the caller's clock. If both headers are given, the earlier one
   * applies; if neither is, the default of the priority. Never later than the end of the year 9999.
   *
   * @param appendTimeMillis when the request was appended, in the pool's time
   */
  public long deadline(long appendTimeMillis) {
    if (timeoutMillis.isEmpty() && deadlineEpochMillis.isEmpty()) {
      return appendTimeMillis + priority.defaultTimeout().toMillis();
    }
    long latest = LATEST_DEADLINE_EPOCH_MILLIS;
    long byTimeout = appendTimeMillis + Math.min(timeoutMillis.orElse(latest), latest);
    return Math.min(latest, Math.min(byTimeout, deadlineEpochMillis.orElse(latest)));
  }

  /**
   * Returns the time after which the first token is not wanted, in epoch milliseconds of the pool's
   * time; empty if only the deadline counts, as it does for bulk.
   *
   * @param appendTimeMillis when the request was appended, in the pool's time
   * @param otherwise how soon requests that do not say it want their first token
   */
  public OptionalLong firstTokenBy(long appendTimeMillis, Optional<Duration> otherwise) {
    if (priority == Priority.BULK || (sloTtftMillis.isEmpty() && otherwise.isEmpty())) {
      return OptionalLong.empty();
    }
    long within = sloTtftMillis.orElseGet(() -> otherwise.orElseThrow().toMillis());
    return OptionalLong.of(appendTimeMillis + Math.min(within, LATEST_DEADLINE_EPOCH_MILLIS));
  }

  /**
   * Returns whether the text is a valid request id: up to 256 characters, none of them a control
   * character, that have a form in UTF-8.
   */
  static boolean isRequestId(String text) {
    return !text.isBlank()
        && text.length() <= MAX_REQUEST_ID_LENGTH
        && text.codePoints().noneMatch(Reader::isUnfitForId);
  }

  /** Writes these headers without replacing existing ones. */
  public void writeTo(Headers headers) {
    HeaderText.put(headers, HeaderNames.VERSION, HeaderNames.VERSION_1);
    HeaderText.put(headers, REQUEST_ID, requestId);
    replyTopic.ifPresent(topic -> HeaderText.put(headers, REPLY_TO, topic));
    replyPartition.ifPresent(partition -> HeaderText.put(headers, REPLY_PARTITION, partition));
    HeaderText.put(headers, ENDPOINT, endpoint.path());
    timeoutMillis.ifPresent(millis -> HeaderText.put(headers, TIMEOUT_MS, millis));
    deadlineEpochMillis.ifPresent(millis -> HeaderText.put(headers, DEADLINE, millis));
    sloTtftMillis.ifPresent(millis -> HeaderText.put(headers, SLO_TTFT_MS, millis));
    HeaderText.put(headers, PRIORITY, priority.headerValue());
    HeaderText.put(headers, TENANT, tenant);
    tier.ifPresent(name -> HeaderText.put(headers, TIER, name));
    fallbackModel.ifPresent(name -> HeaderText.put(headers, FALLBACK_MODEL, name));
  }

  private static final class Reader {
    private final Headers headers;
    private Optional<String> problem = Optional.empty();

    Reader(Headers headers) {
      this.headers = headers;
    }

    Parsed read(String generatedId, Priority defaultPriority) {
      RequestHeaders read =
          new RequestHeaders(
              requestId(generatedId),
              text(REPLY_TO).or(() -> text(SPRING_REPLY_TOPIC)),
              replyPartition(),
              endpoint(),
              positive(TIMEOUT_MS, "a number of milliseconds such as 30000"),
              positive(DEADLINE, "epoch milliseconds such as 1790844393000"),
              positive(SLO_TTFT_MS, "a number of milliseconds such as 2000"),
              priority(defaultPriority),
              text(TENANT).orElse(DEFAULT_TENANT),
              text(TIER),
              text(FALLBACK_MODEL));
      return new Parsed(read, problem);
    }

    private Optional<String> text(String name) {
      return HeaderText.get(headers, name);
    }

    private String requestId(String generatedId) {
      Optional<String> id = text(REQUEST_ID);
      if (id.isPresent() && id.get().length() > MAX_REQUEST_ID_LENGTH) {
        complain(REQUEST_ID, "at most " + MAX_REQUEST_ID_LENGTH + " characters", "a longer one");
        return generatedId;
      }
      if (id.isPresent() && id.get().codePoints().anyMatch(Reader::isUnfitForId)) {
        complain(REQUEST_ID, "printable UTF-8 text", "one with other bytes in it");
        return generatedId;
      }
      return id.orElse(generatedId);
    }

    /**
     * Ids appear in logs and file names, so line breaks and other control characters are rejected.
     * Bytes that are not UTF-8 all decode to the same character, so two ids that differ only in
     * these could not be told apart. So could not two that differ in half a surrogate pair, which
     * UTF-8 cannot express.
     */
    private static boolean isUnfitForId(int character) {
      return Character.isISOControl(character)
          || character == REPLACEMENT
          || Character.getType(character) == Character.SURROGATE;
    }

    private OptionalInt replyPartition() {
      OptionalLong named = number(REPLY_PARTITION, 0, Integer.MAX_VALUE, "a partition number");
      return named.isPresent() ? OptionalInt.of((int) named.getAsLong()) : springReplyPartition();
    }

    /** Spring writes the partition as four bytes, big-endian. */
    private OptionalInt springReplyPartition() {
      Header header = headers.lastHeader(SPRING_REPLY_PARTITION);
      if (header == null || header.value() == null) {
        return OptionalInt.empty();
      }
      byte[] value = header.value();
      int partition = value.length == Integer.BYTES ? ByteBuffer.wrap(value).getInt() : -1;
      if (partition < 0) {
        String found = "the bytes " + HexFormat.of().formatHex(value);
        complain(SPRING_REPLY_PARTITION, "a partition number in four bytes", found);
        return OptionalInt.empty();
      }
      return OptionalInt.of(partition);
    }

    private Endpoint endpoint() {
      Optional<String> path = text(ENDPOINT);
      if (path.isEmpty()) {
        return Endpoint.CHAT_COMPLETIONS;
      }
      return Endpoint.parse(path.get())
          .orElseGet(
              () -> {
                complain(ENDPOINT, "/v1/chat/completions or /v1/completions", path.get());
                return Endpoint.CHAT_COMPLETIONS;
              });
    }

    private Priority priority(Priority defaultPriority) {
      Optional<String> name = text(PRIORITY);
      if (name.isEmpty()) {
        return defaultPriority;
      }
      return Priority.parse(name.get())
          .orElseGet(
              () -> {
                complain(PRIORITY, "urgent, interactive or bulk", name.get());
                return defaultPriority;
              });
    }

    private OptionalLong positive(String name, String expected) {
      return number(name, 1, Long.MAX_VALUE, expected);
    }

    private OptionalLong number(String name, long least, long most, String expected) {
      Optional<String> text = text(name);
      if (text.isEmpty()) {
        return OptionalLong.empty();
      }
      OptionalLong value = HeaderText.getLong(headers, name);
      if (value.isEmpty() || value.getAsLong() < least || value.getAsLong() > most) {
        complain(name, expected, text.get());
        return OptionalLong.empty();
      }
      return value;
    }

    private void complain(String name, String expected, String found) {
      if (problem.isEmpty()) {
        int length = found.codePointCount(0, found.length());
        String shown =
            length > SHOWN_CHARACTERS
                ? found.substring(0, found.offsetByCodePoints(0, SHOWN_CHARACTERS)) + "..."
                : found;
        problem =
            Optional.of("header '" + name + "' must be " + expected + ", not '" + shown + "'");
      }
    }
  }
}
