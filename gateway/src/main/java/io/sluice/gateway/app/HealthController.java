package io.sluice.gateway.app;

import io.micronaut.http.HttpResponse;
import io.micronaut.http.HttpStatus;
import io.micronaut.http.MediaType;
import io.micronaut.http.annotation.Controller;
import io.micronaut.http.annotation.Get;
import io.sluice.common.protocol.Json;
import java.util.Map;

/** {@code /health} tells a load balancer whether to send requests here. */
@Controller
final class HealthController {

  private final Shutdown shutdown;

  HealthController(Shutdown shutdown) {
    this.shutdown = shutdown;
  }

  @Get(value = "/health", produces = MediaType.APPLICATION_JSON)
  HttpResponse<byte[]> health() {
    boolean isUp = !shutdown.isDraining();
    byte[] body = Json.bytes(Map.of("status", isUp ? "UP" : "DRAINING"));
    return HttpResponse.<byte[]>status(isUp ? HttpStatus.OK : HttpStatus.SERVICE_UNAVAILABLE)
        .body(body);
  }
}
