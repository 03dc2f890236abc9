package io.sluice.router.request;

import io.sluice.common.protocol.ReplyAddress;
import io.sluice.common.reply.ReplyPointer;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.OptionalLong;

/**
 * What is kept of an ended request, so that a repeat of its id is not run again. There are hundreds
 * of thousands of these for every few hundred other requests, so the value is small and stored in
 * few bytes.
 *
 * @param tenant the owner; only the owner is told where the answer is
 * @param source the place of its record, which tells a redelivery from a repeat
 * @param answer the place of its answer
 * @param forgetAtMillis the time until which it is kept, epoch milliseconds
 */
public record EndedRequest(
    String requestId,
    String tenant,
    RequestMetadata.Source source,
    ReplyPointer answer,
    long forgetAtMillis)
    implements StoredRequest {
  /**
   * A repeat of an id is recognised for at least this long, and for this long after its deadline.
   */
  public static final Duration REMEMBERED = Duration.ofHours(1);

  /** The first byte of the stored value. JSON never starts with it. */
  static final byte FORM = 1;

  public static EndedRequest of(TrackedRequest tracked, long forgetAtMillis) {
    RequestMetadata metadata = tracked.metadata();
    return new EndedRequest(
        metadata.requestId(),
        metadata.tenant(),
        metadata.source(),
        tracked.answer(),
        forgetAtMillis);
  }

  /**
   * Returns the approximate heap size: the stored value, its key twice, and the entries in maps.
   */
  public long heapBytes() {
    int characters =
        requestId.length()
            + tenant.length()
            + source.topic().length()
            + answer.address().topic().length();
    return 300 + 2L * characters;
  }

  /** Returns the value as it is stored. */
  public byte[] toBytes() {
    var bytes = new ByteArrayOutputStream();
    try (var out = new DataOutputStream(bytes)) {
      out.writeByte(FORM);
      out.writeLong(forgetAtMillis);
      out.writeUTF(source.topic());
      out.writeInt(source.partition());
      out.writeLong(source.offset());
      out.writeUTF(answer.address().topic());
      out.writeInt(answer.address().partition());
      write(answer.offset(), out);
      write(answer.sinceMillis(), out);
      out.writeUTF(tenant);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return bytes.toByteArray();
  }

  private static void write(OptionalLong number, DataOutputStream out) throws IOException {
    out.writeBoolean(number.isPresent());
    if (number.isPresent()) {
      out.writeLong(number.getAsLong());
    }
  }

  private static OptionalLong read(DataInputStream in) throws IOException {
    return in.readBoolean() ? OptionalLong.of(in.readLong()) : OptionalLong.empty();
  }

  /**
   * Reads a stored value. What a later version has appended is ignored.
   *
   * @throws IOException if it is damaged
   */
  static EndedRequest fromBytes(String requestId, byte[] stored) throws IOException {
    try (var in = new DataInputStream(new ByteArrayInputStream(stored, 1, stored.length - 1))) {
      long forgetAtMillis = in.readLong();
      var source = new RequestMetadata.Source(in.readUTF(), in.readInt(), in.readLong());
      var replyTo = new ReplyAddress(in.readUTF(), in.readInt());
      var answer = new ReplyPointer(replyTo, read(in), read(in));
      return new EndedRequest(requestId, in.readUTF(), source, answer, forgetAtMillis);
    }
  }
}
