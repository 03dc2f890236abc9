package io.sluice.router.schedule;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;

/**
 * A cancel of a request that has not come, or is none of this partition's.
 *
 * @param untilMillis until when it counts, epoch milliseconds
 */
public record EarlyCancel(String requestId, long untilMillis) implements StoredRequest {
  /** First in the stored value; no JSON begins with it. */
  static final byte FORM = 2;

  @Override
  public byte[] toBytes() {
    return ByteBuffer.allocate(1 + Long.BYTES).put(FORM).putLong(untilMillis).array();
  }

  static EarlyCancel fromBytes(String requestId, byte[] stored) {
    if (stored.length != 1 + Long.BYTES) {
      throw new UncheckedIOException(
          "a stored cancel cannot be read",
          new IOException("it has %d bytes".formatted(stored.length)));
    }
    return new EarlyCancel(requestId, ByteBuffer.wrap(stored).getLong(1));
  }
}
