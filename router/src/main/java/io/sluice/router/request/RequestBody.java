package io.sluice.router.request;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.sluice.common.protocol.HeaderNames;
import io.sluice.common.protocol.HeaderText;
import io.sluice.common.topic.PoolTopics;
import java.util.Optional;
import java.util.Set;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.header.Headers;
import org.apache.kafka.common.header.internals.RecordHeaders;

/**
 * The record of a request: value and headers.
 *
 * @param value OpenAI JSON; must not be changed
 */
public record RequestBody(Headers headers, byte[] value) {

  /** More than any caller needs. Unpacked, each header takes many times its size. */
  static final int MAX_HEADERS = 1_000;

  /** The longest header that is kept when the body is omitted. */
  private static final int MAX_KEPT_BYTES = 1_024;

  /** A record stores the length of each header's name and value in up to five bytes each. */
  private static final int HEADER_OVERHEAD = 10;

  /** The headers that tell where to reply and what an operator needs to know. */
  private static final Set<String> KEPT =
      Set.of(
          HeaderNames.REQUEST_ID,
          HeaderNames.REPLY_TO,
          HeaderNames.REPLY_PARTITION,
          HeaderNames.SPRING_REPLY_TOPIC,
          HeaderNames.SPRING_REPLY_PARTITION,
          HeaderNames.SPRING_CORRELATION_ID,
          HeaderNames.PRIORITY,
          HeaderNames.TENANT,
          HeaderNames.REDRIVE_OF,
          HeaderNames.REDRIVE_COUNT,
          HeaderNames.OMITTED_BYTES);

  /**
   * Keeps a record. If it has a {@linkplain #sizeProblem problem with its size}, the body is
   * omitted, because with the pool's headers it would not fit any topic. The body stays at its
   * place in the log, and the header {@code omitted-bytes} tells its size.
   */
  public static RequestBody of(Headers headers, byte[] value) {
    if (sizeProblem(headers, value).isEmpty()) {
      return new RequestBody(new RecordHeaders(headers.toArray()), value);
    }
    return without(headers, value);
  }

  /** Returns what is kept of a record that is too large. */
  public RequestBody omitted() {
    return without(headers, value);
  }

  /** Returns the size in bytes, including headers. */
  public long bytes() {
    return bytes(headers) + value.length;
  }

  /** Returns whether the request was redriven from a dead letter. */
  public boolean isRedriven() {
    return headers.lastHeader(HeaderNames.REDRIVE_OF) != null;
  }

  /** Returns whether the request is bulk that became deadline-critical in the bulk topic. */
  public boolean isPromoted() {
    return isPromoted(headers);
  }

  /** Returns the same for a request with these headers. */
  public static boolean isPromoted(Headers headers) {
    return headers.lastHeader(HeaderNames.PROMOTED) != null;
  }

  private static RequestBody without(Headers headers, byte[] value) {
    Headers kept = new RecordHeaders();
    for (Header header : headers) {
      boolean isShort = header.value() != null && header.value().length <= MAX_KEPT_BYTES;
      if (isShort && KEPT.contains(header.key())) {
        kept.remove(header.key()).add(header);
      }
    }
    if (kept.lastHeader(HeaderNames.OMITTED_BYTES) == null) {
      HeaderText.put(kept, HeaderNames.OMITTED_BYTES, bytes(headers) + value.length);
    }
    return new RequestBody(kept, new byte[0]);
  }

  /**
   * Why the pool does not take a record of this size; empty if it does. The size is that of the
   * rewritten record: header names that are not valid UTF-8 grow when they are encoded again.
   */
  public static Optional<String> sizeProblem(Headers headers, byte[] value) {
    int count = headers.toArray().length;
    if (count > MAX_HEADERS) {
      return Optional.of(
          "the request has %d headers; send at most %d".formatted(count, MAX_HEADERS));
    }
    boolean isOmitted = headers.lastHeader(HeaderNames.OMITTED_BYTES) != null;
    return isOmitted || bytes(headers) + value.length > PoolTopics.MAX_REQUEST_BYTES
        ? Optional.of(
            "the request has more than %d bytes, headers included; shorten it"
                .formatted(PoolTopics.MAX_REQUEST_BYTES))
        : Optional.empty();
  }

  private static long bytes(Headers headers) {
    long bytes = 0;
    for (Header header : headers) {
      bytes += HEADER_OVERHEAD + header.key().getBytes(UTF_8).length;
      bytes += header.value() == null ? 0 : header.value().length;
    }
    return bytes;
  }

  /** Returns the placeholder for a body that is no longer available. */
  public static RequestBody lost() {
    return new RequestBody(new RecordHeaders(), new byte[0]);
  }
}
