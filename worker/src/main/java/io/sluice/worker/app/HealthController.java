package io.sluice.worker.app;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.micronaut.context.annotation.Requires;
import io.micronaut.http.HttpResponse;
import io.micronaut.http.HttpStatus;
import io.micronaut.http.MediaType;
import io.micronaut.http.annotation.Controller;
import io.micronaut.http.annotation.Get;
import io.sluice.common.protocol.Json;
import io.sluice.fleet.breaker.BreakerPhase;
import io.sluice.worker.config.WorkerConfig;
import io.sluice.worker.health.EngineMonitor;
import io.sluice.worker.health.EngineState;
import io.sluice.worker.intake.Admission;
import io.sluice.worker.intake.RunningGenerations;

/**
 * {@code /health} tells whether the process works: a restart would fix what it reports. {@code
 * /healthz} tells whether the worker can serve requests: a restart does not fix an engine.
 */
@Requires(beans = WorkerConfig.class)
@Controller
final class HealthController {
  private static final int PERCENT = 100;

  private final WorkerConfig config;
  private final EngineMonitor monitor;
  private final Admission admission;
  private final RunningGenerations running;

  HealthController(
      WorkerConfig config, EngineMonitor monitor, Admission admission, RunningGenerations running) {
    this.config = config;
    this.monitor = monitor;
    this.admission = admission;
    this.running = running;
  }

  @Get(value = "/health", produces = MediaType.APPLICATION_JSON)
  HttpResponse<byte[]> health() {
    ObjectNode json = Json.mapper().createObjectNode();
    json.put("status", "UP").put("worker", config.id());
    json.put("engine_up", monitor.state().up())
        .put("draining", admission.draining().getAsBoolean());
    json.put("running", running.count()).put("slots", admission.slots());
    return HttpResponse.ok(Json.bytes(json));
  }

  @Get(value = "/healthz", produces = MediaType.APPLICATION_JSON)
  HttpResponse<byte[]> healthz() {
    EngineState engine = monitor.state();
    boolean isOpen = !engine.up() || admission.breaker().get() == BreakerPhase.OPEN;
    boolean isFit = !isOpen && !admission.draining().getAsBoolean();
    ObjectNode json = Json.mapper().createObjectNode();
    json.put("status", isFit ? "healthy" : "degraded");
    engine
        .kvUsage()
        .ifPresentOrElse(
            usage -> json.put("gpu_cache_usage_percent", usage * PERCENT),
            () -> json.putNull("gpu_cache_usage_percent"));
    json.put("circuit_breaker_open", isOpen);
    json.put("last_check", engine.lastCheck().toString());
    return HttpResponse.<byte[]>status(isFit ? HttpStatus.OK : HttpStatus.SERVICE_UNAVAILABLE)
        .body(Json.bytes(json));
  }
}
