package io.sluice.router.schedule;

import io.sluice.common.protocol.ReplyAddress;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;

/**
 * What is kept of a request that is over, so that a repeat of its id is not run again. There are
 * hundreds of thousands of them where there are hundreds of other requests, so it is little, and
 * stored in few bytes.
 *
 * @param source where its record stood, to tell a redelivery from a repeat
 * @param replyTo where its answer is
 * @param forgetAtMillis until when it is kept, epoch milliseconds
 */
public record EndedRequest(
    String requestId, RequestFacts.Source source, ReplyAddress replyTo, long forgetAtMillis)
    implements StoredRequest {
  /** First in the stored value; no JSON begins with it. */
  static final byte FORM = 1;

  static EndedRequest of(RequestFacts facts, long forgetAtMillis) {
    return new EndedRequest(facts.requestId(), facts.source(), facts.replyTo(), forgetAtMillis);
  }

  @Override
  public byte[] toBytes() {
    var bytes = new ByteArrayOutputStream();
    try (var out = new DataOutputStream(bytes)) {
      out.writeByte(FORM);
      out.writeLong(forgetAtMillis);
      out.writeUTF(source.topic());
      out.writeInt(source.partition());
      out.writeLong(source.offset());
      out.writeUTF(replyTo.topic());
      out.writeInt(replyTo.partition());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return bytes.toByteArray();
  }

  static EndedRequest fromBytes(String requestId, byte[] stored) {
    try (var in = new DataInputStream(new ByteArrayInputStream(stored, 1, stored.length - 1))) {
      long forgetAtMillis = in.readLong();
      var source = new RequestFacts.Source(in.readUTF(), in.readInt(), in.readLong());
      var replyTo = new ReplyAddress(in.readUTF(), in.readInt());
      return new EndedRequest(requestId, source, replyTo, forgetAtMillis);
    } catch (IOException e) {
      throw new UncheckedIOException("a stored request that ended cannot be read", e);
    }
  }
}
