package io.sluice.gateway.app;

import io.micronaut.http.MediaType;
import io.micronaut.http.annotation.Controller;
import io.micronaut.http.annotation.Get;
import io.sluice.common.protocol.Json;
import java.util.Map;

/** {@code /health} tells whether the process works: a restart would fix what it reports. */
@Controller
final class HealthController {

  @Get(value = "/health", produces = MediaType.APPLICATION_JSON)
  byte[] health() {
    return Json.bytes(Map.of("status", "UP"));
  }
}
