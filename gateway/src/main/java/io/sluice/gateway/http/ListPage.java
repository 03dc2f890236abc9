package io.sluice.gateway.http;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.sluice.common.protocol.Json;
import java.util.List;

/** OpenAI's {@code list} object: a page of objects that have an {@code id}. */
public final class ListPage {
  private ListPage() {}

  /**
   * Returns a page.
   *
   * @param hasMore whether others follow
   */
  public static ObjectNode of(List<ObjectNode> page, boolean hasMore) {
    ObjectNode json = Json.mapper().createObjectNode().put("object", "list");
    json.putArray("data").addAll(page);
    json.set("first_id", page.isEmpty() ? null : page.getFirst().get("id"));
    json.set("last_id", page.isEmpty() ? null : page.getLast().get("id"));
    return json.put("has_more", hasMore);
  }
}
