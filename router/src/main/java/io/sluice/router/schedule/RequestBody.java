package io.sluice.router.schedule;

import io.sluice.common.protocol.PoolTopics;
import java.util.Arrays;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.header.Headers;
import org.apache.kafka.common.header.internals.RecordHeaders;

/**
 * A request's record as it came: value and headers.
 *
 * @param value OpenAI JSON; not to be changed by anybody
 */
public record RequestBody(Headers headers, byte[] value) {

  /** How much is kept of a record that is too large to be passed on. */
  private static final int KEPT_BYTES = 64 * 1024;

  /** A record tells the length of each header's name and value, in up to five bytes each. */
  private static final int HEADER_OVERHEAD = 10;

  /**
   * What is kept of a record. One that {@linkplain #isTooLarge is too large} will be refused: of it
   * only the beginning is kept, for with the headers that the pool adds it would fit into no topic.
   */
  public static RequestBody of(Headers headers, byte[] value) {
    if (!isTooLarge(headers, value)) {
      return new RequestBody(new RecordHeaders(headers.toArray()), value);
    }
    boolean areLarge = headerBytes(headers) > KEPT_BYTES;
    return new RequestBody(
        new RecordHeaders(areLarge ? new Header[0] : headers.toArray()),
        Arrays.copyOf(value, Math.min(value.length, KEPT_BYTES)));
  }

  /** Whether a record has more bytes, headers included, than the pool takes. */
  static boolean isTooLarge(Headers headers, byte[] value) {
    return bytes(headers, value) > PoolTopics.MAX_REQUEST_BYTES;
  }

  /** How many bytes it has, headers included. */
  public long bytes() {
    return bytes(headers, value);
  }

  /** How many bytes a record has, headers included. */
  private static long bytes(Headers headers, byte[] value) {
    return headerBytes(headers) + value.length;
  }

  private static long headerBytes(Headers headers) {
    long bytes = 0;
    for (Header header : headers) {
      bytes += HEADER_OVERHEAD;
      bytes += header.key().length() + (header.value() == null ? 0 : header.value().length);
    }
    return bytes;
  }

  /** What stands for a body that is no longer there. */
  public static RequestBody lost() {
    return new RequestBody(new RecordHeaders(), new byte[0]);
  }
}
