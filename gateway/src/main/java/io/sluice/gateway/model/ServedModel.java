package io.sluice.gateway.model;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.sluice.common.protocol.Json;
import java.util.Optional;

/**
 * A model that the pool serves.
 *
 * @param base the model that an adapter belongs to; empty for a base model
 * @param maxModelLen the longest context of its workers, in tokens
 */
record ServedModel(String id, Optional<String> base, int maxModelLen) {

  /** Returns the model with the longer context of two. */
  ServedModel longest(ServedModel other) {
    return other.maxModelLen > maxModelLen ? other : this;
  }

  /**
   * Returns the model card with the fields that vLLM lists.
   *
   * @param created the time at which the model was first seen, in epoch seconds
   */
  ObjectNode toJson(long created) {
    ObjectNode card = Json.mapper().createObjectNode();
    card.put("id", id).put("object", "model").put("created", created).put("owned_by", "sluice");
    card.put("root", base.orElse(id));
    base.ifPresentOrElse(parent -> card.put("parent", parent), () -> card.putNull("parent"));
    if (maxModelLen > 0) {
      card.put("max_model_len", maxModelLen);
    } else {
      card.putNull("max_model_len");
    }
    card.putArray("permission");
    return card;
  }
}
