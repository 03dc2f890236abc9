package io.sluice.gateway.batch.record;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.sluice.common.protocol.Json;
import java.io.IOException;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The JSON of the records of {@code sluice.batches}. The topic is compacted, so what one record
 * replaces has the same key. Each end has its own: a gateway that was taken for dead may write its
 * progress, or another end, after the batch has ended.
 */
final class BatchFormat {
  private static final int VERSION = 1;

  private BatchFormat() {}

  static String key(BatchRecord record) {
    String what =
        record instanceof BatchProgress progress && progress.phase().isEnd()
            ? progress.phase().label()
            : type(record);
    return record.id() + "/" + what;
  }

  static byte[] toJson(BatchRecord record) {
    ObjectNode json = Json.mapper().valueToTree(record);
    return Json.bytes(json.put("v", VERSION).put("type", type(record)));
  }

  /** Parses a record; empty if this version does not understand it. */
  static Optional<BatchRecord> parse(byte @Nullable [] value) {
    try {
      JsonNode json = Json.tree(value);
      return json.path("v").asInt() == VERSION ? parse(json) : Optional.empty();
    } catch (IOException e) {
      return Optional.empty();
    }
  }

  private static Optional<BatchRecord> parse(JsonNode json) throws JsonProcessingException {
    Optional<Class<? extends BatchRecord>> type =
        switch (json.path("type").asText("")) {
          case "created" -> Optional.of(CreatedBatch.class);
          case "progress" -> Optional.of(BatchProgress.class);
          case "cancel" -> Optional.of(BatchCancellation.class);
          default -> Optional.empty();
        };
    return type.isPresent()
        ? Optional.of(Json.mapper().treeToValue(json, type.get()))
        : Optional.empty();
  }

  private static String type(BatchRecord record) {
    return switch (record) {
      case CreatedBatch _ -> "created";
      case BatchProgress _ -> "progress";
      case BatchCancellation _ -> "cancel";
    };
  }
}
