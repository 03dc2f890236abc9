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
 * @param offset of the answer's first record, where it is known
 */
public record ReplyPointer(ReplyAddress address, OptionalLong offset) {

  /** The pointer as JSON. */
  public byte[] toJson() {
    ObjectNode json = Json.mapper().createObjectNode();
    json.put("reply_to", address.topic()).put("reply_partition", address.partition());
    offset.ifPresent(known -> json.put("offset", known));
    return Json.bytes(json);
  }

  /** Reads a pointer; empty if it is none, or names no reply topic. */
  public static Optional<ReplyPointer> parse(byte[] bytes) {
    try {
      JsonNode json = Json.tree(bytes);
      String topic = json.path("reply_to").asText();
      JsonNode partition = json.path("reply_partition");
      if (!Topics.isReplyTopic(topic) || !partition.canConvertToInt() || partition.asInt() < 0) {
        return Optional.empty();
      }
      JsonNode offset = json.path("offset");
      return Optional.of(
          new ReplyPointer(
              new ReplyAddress(topic, partition.asInt()),
              offset.canConvertToLong() ? OptionalLong.of(offset.asLong()) : OptionalLong.empty()));
    } catch (IOException e) {
      return Optional.empty();
    }
  }
}
