package io.sluice.simulator.openai.response;

import com.fasterxml.jackson.core.JsonGenerator;
import io.sluice.simulator.openai.request.Json;
import io.sluice.simulator.openai.request.ServedModel;
import java.io.IOException;
import java.util.HexFormat;
import java.util.Map;
import java.util.concurrent.ThreadLocalRandom;
import org.jspecify.annotations.Nullable;

/** The answer of {@code /v1/models}: a card for each model name and for each adapter. */
public final class ModelList {

  private ModelList() {}

  /** Returns the list as JSON. */
  public static byte[] of(ServedModel model, long createdSeconds) {
    return Json.bytes(
        json -> {
          json.writeStartObject();
          json.writeStringField("object", "list");
          json.writeArrayFieldStart("data");
          for (String name : model.names()) {
            writeCard(json, name, model.name(), null, model, createdSeconds);
          }
          for (Map.Entry<String, String> lora : model.loras().all().entrySet()) {
            writeCard(json, lora.getKey(), lora.getValue(), model.name(), model, createdSeconds);
          }
          json.writeEndArray();
          json.writeEndObject();
        });
  }

  /** Writes a card. A card with a parent describes an adapter, which has no context length. */
  private static void writeCard(
      JsonGenerator json,
      String name,
      String root,
      @Nullable String parent,
      ServedModel model,
      long createdSeconds)
      throws IOException {
    json.writeStartObject();
    json.writeStringField("id", name);
    json.writeStringField("object", "model");
    json.writeNumberField("created", createdSeconds);
    json.writeStringField("owned_by", "vllm");
    json.writeStringField("root", root);
    json.writeStringField("parent", parent);
    if (parent == null) {
      json.writeNumberField("max_model_len", model.maxModelLen());
    } else {
      json.writeNullField("max_model_len");
    }
    json.writeArrayFieldStart("permission");
    json.writeStartObject();
    json.writeStringField(
        "id", "modelperm-" + HexFormat.of().toHexDigits(ThreadLocalRandom.current().nextLong()));
    json.writeStringField("object", "model_permission");
    json.writeNumberField("created", createdSeconds);
    json.writeBooleanField("allow_create_engine", false);
    json.writeBooleanField("allow_sampling", true);
    json.writeBooleanField("allow_logprobs", true);
    json.writeBooleanField("allow_search_indices", false);
    json.writeBooleanField("allow_view", true);
    json.writeBooleanField("allow_fine_tuning", false);
    json.writeStringField("organization", "*");
    json.writeNullField("group");
    json.writeBooleanField("is_blocking", false);
    json.writeEndObject();
    json.writeEndArray();
    json.writeEndObject();
  }
}
