package io.sluice.simulator.endpoint;

import io.sluice.simulator.fault.Effect;
import io.sluice.simulator.fault.FaultBoard;
import io.sluice.simulator.http.Exchange;
import io.sluice.simulator.metrics.ServerMetrics;
import io.sluice.simulator.openai.request.Json;
import io.sluice.simulator.openai.request.ServedModel;
import io.sluice.simulator.openai.response.ModelList;
import io.sluice.simulator.serving.EngineDriver;
import java.nio.charset.StandardCharsets;
import java.util.Optional;

/** The endpoints that describe the server: health, version, models and metrics. */
final class ServerEndpoint {

  private final ServedModel model;
  private final EngineDriver driver;
  private final ServerMetrics metrics;
  private final FaultBoard faults;

  /** The page that stale metrics repeat. Used on the event loop only. */
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
    exchange.replyJson(200, ModelList.of(model, System.currentTimeMillis() / 1000));
  }
}
