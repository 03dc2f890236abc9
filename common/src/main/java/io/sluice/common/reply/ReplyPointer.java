package io.sluice.common.reply;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.sluice.common.protocol.Json;
import io.sluice.common.protocol.ReplyAddress;
import io.sluice.common.protocol.Topics;
import java.io.IOException;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * The value of a {@code pointer} record: where the answer to a repeated request is.
 *
 * @param offset the offset of the answer's first record, if it is known
 * @param sinceMillis when the first request was appended, by its broker's clock, in epoch
 *     milliseconds; where to search if the offset is not known
 */
public record ReplyPointer(ReplyAddress address, OptionalLong offset, OptionalLong sinceMillis) {

  /** Returns the pointer as JSON. */
  public byte[] toJson() {
    ObjectNode json = Json.mapper().createObjectNode();
    json.put("reply_to", address.topic()).put("reply_partition", address.partition());
    offset.ifPresent(known -> json.put("offset", known));
    sinceMillis.ifPresent(known -> json.put("since", known));
    return Json.bytes(json);
  }

  /** Parses a pointer; empty if the value is not one or names no reply topic. */
  public static Optional<ReplyPointer> parse(byte[] bytes) {
    try {
      JsonNode json = Json.tree(bytes);
      String topic = json.path("reply_to").asText();
      JsonNode partition = json.path("reply_partition");
      if (!Topics.isReplyTopic(topic) || !partition.canConvertToInt() || partition.asInt() < 0) {
        return Optional.empty();
      }
      return Optional.of(
          new ReplyPointer(
              new ReplyAddress(topic, partition.asInt()),
              number(json.path("offset")),
              number(json.path("since"))));
    } catch (IOException e) {
      return Optional.empty();
    }
  }

  private static OptionalLong number(JsonNode json) {
    return json.isIntegralNumber() && json.canConvertToLong() && json.asLong() >= 0
        ? OptionalLong.of(json.asLong())
        : OptionalLong.empty();
  }
}
