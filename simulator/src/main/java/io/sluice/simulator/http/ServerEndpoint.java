package io.sluice.simulator.http;

import com.fasterxml.jackson.core.JsonGenerator;
import io.sluice.simulator.fault.Effect;
import io.sluice.simulator.fault.FaultBoard;
import io.sluice.simulator.metrics.ServerMetrics;
import io.sluice.simulator.serving.EngineDriver;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ThreadLocalRandom;
import org.jspecify.annotations.Nullable;

/** What the server tells about itself: health, version, load, models and metrics. */
final class ServerEndpoint {

  private final ServedModel model;
  private final EngineDriver driver;
  private final ServerMetrics metrics;
  private final FaultBoard faults;

  /** The page that a stale server keeps; used on the one event loop only. */
  private Optional<String> stalePage = Optional.empty();

  ServerEndpoint(ServedModel model, EngineDriver driver, ServerMetrics metrics, FaultBoard faults) {
    this.model = model;
    this.driver = driver;
    this.metrics = metrics;
    this.faults = faults;
  }

  void health(Exchange exchange) {
    exchange.reply(driver.isDead() ? 503 : 200, "", new byte[0]);
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

  void load(Exchange exchange, int underWay) {
    exchange.replyJson(
        200, ("{\"server_load\":" + underWay + "}").getBytes(StandardCharsets.US_ASCII));
  }

  void metrics(Exchange exchange) {
    if (faults.engine(Effect.MetricsAbsent.class).isPresent()) {
      exchange.replyJson(404, "{\"detail\":\"Not Found\"}".getBytes(StandardCharsets.US_ASCII));
      return;
    }
    Optional<Effect.MetricsSlow> slow = faults.engine(Effect.MetricsSlow.class);
    if (slow.isPresent()) {
      exchange.schedule(slow.get().delay(), () -> replyMetrics(exchange));
    } else {
      replyMetrics(exchange);
    }
  }

  private void replyMetrics(Exchange exchange) {
    if (exchange.isEnded()) {
      return;
    }
    boolean stale = faults.engine(Effect.MetricsStale.class).isPresent();
    String page = stale && stalePage.isPresent() ? stalePage.get() : metrics.text();
    stalePage = stale ? Optional.of(page) : Optional.empty();
    exchange.reply(
        200, "text/plain; version=1.0.0; charset=utf-8", page.getBytes(StandardCharsets.UTF_8));
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
                writeCard(json, name, model.name(), null, createdSeconds);
              }
              for (Map.Entry<String, String> lora : model.loras().all().entrySet()) {
                writeCard(json, lora.getKey(), lora.getValue(), model.name(), createdSeconds);
              }
              json.writeEndArray();
              json.writeEndObject();
            }));
  }

  /** Writes a card; one with a parent is an adapter's, which has no context of its own. */
  private void writeCard(
      JsonGenerator json, String name, String root, @Nullable String parent, long createdSeconds)
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
