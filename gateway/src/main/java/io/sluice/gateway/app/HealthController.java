package io.sluice.gateway.app;

import io.micronaut.http.HttpResponse;
import io.micronaut.http.HttpStatus;
import io.micronaut.http.MediaType;
import io.micronaut.http.annotation.Controller;
import io.micronaut.http.annotation.Get;
import io.sluice.common.protocol.Json;
import io.swagger.v3.oas.annotations.responses.ApiResponse;
import io.swagger.v3.oas.annotations.tags.Tag;
import java.util.Map;

/** {@code /health} tells a load balancer whether to send requests here. */
@Tag(name = "Operation")
@Controller
final class HealthController {

  private final Shutdown shutdown;

  HealthController(Shutdown shutdown) {
    this.shutdown = shutdown;
  }

  /** Tells whether the gateway takes requests. */
  @Get(value = "/health", produces = MediaType.APPLICATION_JSON)
  @ApiResponse(responseCode = "200", ref = "Health")
  @ApiResponse(responseCode = "503", ref = "Draining")
  HttpResponse<byte[]> getHealth() {
    boolean isUp = !shutdown.isDraining();
    byte[] body = Json.bytes(Map.of("status", isUp ? "UP" : "DRAINING"));
    return HttpResponse.<byte[]>status(isUp ? HttpStatus.OK : HttpStatus.SERVICE_UNAVAILABLE)
        .body(body);
  }
}
