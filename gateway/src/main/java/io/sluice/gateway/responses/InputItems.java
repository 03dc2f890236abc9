package io.sluice.gateway.responses;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.sluice.common.protocol.ErrorKind;
import io.sluice.common.protocol.Json;
import io.sluice.gateway.http.ApiException;
import io.sluice.gateway.responses.record.CreatedResponse;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The input of a response as a list of items. Those without an id get one from their place. */
final class InputItems {
  private static final int MOST = 100;
  private static final String CONTENT = "content";

  private InputItems() {}

  /**
   * Returns a page of the items.
   *
   * @param limit the most items of the page, 1 to 100
   * @param order {@code asc} or {@code desc}
   * @param after the id of the item before the page
   * @throws ApiException if a parameter is wrong
   */
  static ObjectNode page(CreatedResponse created, int limit, String order, @Nullable String after) {
    if (limit < 1 || limit > MOST) {
      throw new ApiException(ErrorKind.INVALID_REQUEST, "limit must be 1 to 100", "limit");
    }
    List<ObjectNode> items = items(created);
    switch (order) {
      case "asc" -> {}
      case "desc" -> Collections.reverse(items);
      default ->
          throw new ApiException(ErrorKind.INVALID_REQUEST, "order must be asc or desc", "order");
    }
    int from = after == null ? 0 : indexOf(after, items) + 1;
    List<ObjectNode> page = items.subList(from, Math.min(items.size(), from + limit));
    ObjectNode list = Json.mapper().createObjectNode().put("object", "list");
    list.putArray("data").addAll(page);
    list.put("first_id", page.isEmpty() ? "" : page.getFirst().path("id").asText());
    list.put("last_id", page.isEmpty() ? "" : page.getLast().path("id").asText());
    return list.put("has_more", from + page.size() < items.size());
  }

  private static int indexOf(String id, List<ObjectNode> items) {
    for (int i = 0; i < items.size(); i++) {
      if (items.get(i).path("id").asText().equals(id)) {
        return i;
      }
    }
    throw new ApiException(ErrorKind.INVALID_REQUEST, "there is no item '" + id + "'", "after");
  }

  private static List<ObjectNode> items(CreatedResponse created) {
    JsonNode input = created.request().path("input");
    List<ObjectNode> items = new ArrayList<>();
    if (input.isTextual()) {
      ObjectNode message = Json.mapper().createObjectNode().put("role", "user");
      message.set(CONTENT, input);
      items.add(item(message, created.requestId(), 0));
    }
    for (int i = 0; input.isArray() && i < input.size(); i++) {
      items.add(item(input.get(i), created.requestId(), i));
    }
    return items;
  }

  private static ObjectNode item(JsonNode given, String requestId, int index) {
    String type = given.path("type").asText("message");
    String id = given.path("id").asText(prefix(type) + requestId + "_in_" + index);
    ObjectNode item = Json.mapper().createObjectNode().put("id", id).put("type", type);
    item.put("status", "completed");
    item.setAll((ObjectNode) given.deepCopy());
    if (type.equals("message") && given.path(CONTENT).isTextual()) {
      boolean isOutput = given.path("role").asText().equals("assistant");
      ArrayNode content = item.putArray(CONTENT);
      ObjectNode part = content.addObject().put("type", isOutput ? "output_text" : "input_text");
      part.put("text", given.path(CONTENT).textValue());
      if (isOutput) {
        part.putArray("annotations");
      }
    }
    return item;
  }

  private static String prefix(String type) {
    return switch (type) {
      case "function_call" -> "fc_";
      case "function_call_output" -> "fco_";
      case "reasoning" -> "rs_";
      default -> "msg_";
    };
  }
}
