package io.sluice.simulator.http;

import com.fasterxml.jackson.core.JsonGenerator;
import io.sluice.simulator.metrics.ServerMetrics;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import java.util.concurrent.ThreadLocalRandom;

/** What the server tells about itself: health, version, load, models and metrics. */
final class ServerEndpoint {

  private final ServedModel model;
  private final ServerMetrics metrics;

  ServerEndpoint(ServedModel model, ServerMetrics metrics) {
    this.model = model;
    this.metrics = metrics;
  }

  void health(Exchange exchange) {
    exchange.reply(200, "", new byte[0]);
  }

  void version(Exchange exchange) {
    exchange.replyJson(
        200,
        Json.bytes(
            json -> {
              json.writeStartObject();
              json.writeStringField("version", model.version());
              json.writeEndObject();
            }));
  }

  /** Always 0: vLLM counts only with {@code --enable-server-load-tracking}. */
  void load(Exchange exchange) {
    exchange.replyJson(200, "{\"server_load\":0}".getBytes(StandardCharsets.US_ASCII));
  }

  void metrics(Exchange exchange) {
    exchange.reply(
        200,
        "text/plain; version=1.0.0; charset=utf-8",
        metrics.text().getBytes(StandardCharsets.UTF_8));
  }

  void models(Exchange exchange) {
    long createdSeconds = System.currentTimeMillis() / 1000;
    exchange.replyJson(
        200,
        Json.bytes(
            json -> {
              json.writeStartObject();
              json.writeStringField("object", "list");
              json.writeArrayFieldStart("data");
              for (String name : model.names()) {
                writeCard(json, name, createdSeconds);
              }
              json.writeEndArray();
              json.writeEndObject();
            }));
  }

  private void writeCard(JsonGenerator json, String name, long createdSeconds) throws IOException {
    json.writeStartObject();
    json.writeStringField("id", name);
    json.writeStringField("object", "model");
    json.writeNumberField("created", createdSeconds);
    json.writeStringField("owned_by", "vllm");
    json.writeStringField("root", model.name());
    json.writeNullField("parent");
    json.writeNumberField("max_model_len", model.maxModelLen());
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
