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
import io.sluice.worker.gpu.GpuWatch;
import io.sluice.worker.health.EngineMonitor;
import io.sluice.worker.health.EngineState;
import io.sluice.worker.intake.Admission;
import io.sluice.worker.notice.NoticeWatch;
import io.sluice.worker.watchdog.Watchdog;

/** {@code /healthz} tells whether the worker takes requests, and how full its engine is. */
@Requires(beans = WorkerConfig.class)
@Controller
final class HealthController {
  private static final int PERCENT = 100;

  private final EngineMonitor monitor;
  private final Admission admission;
  private final Watchdog watchdog;
  private final GpuWatch gpuWatch;
  private final NoticeWatch notices;

  HealthController(
      EngineMonitor monitor,
      Admission admission,
      Watchdog watchdog,
      GpuWatch gpuWatch,
      NoticeWatch notices) {
    this.monitor = monitor;
    this.admission = admission;
    this.watchdog = watchdog;
    this.gpuWatch = gpuWatch;
    this.notices = notices;
  }

  @Get(value = "/healthz", produces = MediaType.APPLICATION_JSON)
  HttpResponse<byte[]> healthz() {
    EngineState engine = monitor.state();
    boolean isOpen = admission.breaker().get() == BreakerPhase.OPEN;
    boolean isFit =
        admission.engineUp().getAsBoolean() && !isOpen && !admission.draining().getAsBoolean();
    ObjectNode json = Json.mapper().createObjectNode();
    json.put("status", isFit ? "healthy" : "degraded");
    engine
        .kvUsage()
        .ifPresentOrElse(
            usage -> json.put("gpu_cache_usage_percent", usage * PERCENT),
            () -> json.putNull("gpu_cache_usage_percent"));
    json.put("engine_up", engine.up());
    json.put("engine_warming_up", engine.up() && !admission.engineUp().getAsBoolean());
    json.put("circuit_breaker_open", isOpen);
    json.put("engine_degraded", watchdog.isDegraded());
    json.put("engine_restart", watchdog.step());
    json.put("machine_is_going", notices.isGoing());
    json.put("gpu_temperature", gpuWatch.state());
    json.put("last_check", engine.lastCheck().toString());
    return HttpResponse.<byte[]>status(isFit ? HttpStatus.OK : HttpStatus.SERVICE_UNAVAILABLE)
        .body(Json.bytes(json));
  }
}
