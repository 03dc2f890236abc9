package io.sluice.router.schedule;

import com.fasterxml.jackson.databind.JsonNode;
import io.sluice.common.protocol.Json;
import io.sluice.common.protocol.ReplyAddress;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Optional;

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
    String requestId, RequestFacts.Source source, ReplyAddress replyTo, long forgetAtMillis) {
  /** First in the stored value; no JSON begins with it. */
  private static final byte VERSION = 1;

  static EndedRequest of(RequestFacts facts, long forgetAtMillis) {
    return new EndedRequest(facts.requestId(), facts.source(), facts.replyTo(), forgetAtMillis);
  }

  /** Whether a stored value is that of an ended request. */
  public static boolean isOne(byte[] stored) {
    return stored.length > 0 && stored[0] == VERSION;
  }

  /** The value as it is stored, under the request's id. */
  public byte[] toBytes() {
    var bytes = new ByteArrayOutputStream();
    try (var out = new DataOutputStream(bytes)) {
      out.writeByte(VERSION);
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

  /**
   * Reads the value of an ended request as routers stored it before there was {@link #toBytes};
   * empty if it is that of one which has not ended.
   *
   * @throws UncheckedIOException if it is neither
   */
  public static Optional<EndedRequest> fromJson(byte[] stored) {
    try {
      JsonNode json = Json.tree(stored);
      if (!json.at("/state/state").asText().equals("ended")) {
        return Optional.empty();
      }
      RequestFacts facts = Json.mapper().treeToValue(json.path("facts"), RequestFacts.class);
      return Optional.of(of(facts, json.at("/state/forget_at_millis").asLong()));
    } catch (IOException e) {
      throw new UncheckedIOException("a stored request cannot be read", e);
    }
  }

  /** Reads a stored value. */
  public static EndedRequest fromBytes(String requestId, byte[] stored) {
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
