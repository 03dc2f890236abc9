package io.sluice.router.schedule;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.sluice.common.protocol.PoolTopics;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Arrays;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.header.Headers;
import org.apache.kafka.common.header.internals.RecordHeaders;

/**
 * A request's record as it came: value and headers, kept until the request has ended.
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
    return headerBytes(headers) + value.length > PoolTopics.MAX_REQUEST_BYTES;
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
  static RequestBody lost() {
    return new RequestBody(new RecordHeaders(), new byte[0]);
  }

  /** The record as it is stored: the number of headers, each name and value, then the body. */
  public byte[] toBytes() {
    var bytes = new ByteArrayOutputStream(value.length + 512);
    try (var out = new DataOutputStream(bytes)) {
      Header[] all = headers.toArray();
      out.writeInt(all.length);
      for (Header header : all) {
        writeSized(out, header.key().getBytes(UTF_8));
        writeSized(out, header.value() == null ? new byte[0] : header.value());
      }
      out.write(value);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return bytes.toByteArray();
  }

  /** Reads a stored record. */
  public static RequestBody fromBytes(byte[] bytes) {
    try (var in = new DataInputStream(new ByteArrayInputStream(bytes))) {
      Headers headers = new RecordHeaders();
      for (int left = in.readInt(); left > 0; left--) {
        String name = new String(in.readNBytes(in.readInt()), UTF_8);
        headers.add(name, in.readNBytes(in.readInt()));
      }
      return new RequestBody(headers, in.readAllBytes());
    } catch (IOException e) {
      throw new UncheckedIOException("a stored request body cannot be read", e);
    }
  }

  private static void writeSized(DataOutputStream out, byte[] content) throws IOException {
    out.writeInt(content.length);
    out.write(content);
  }
}
