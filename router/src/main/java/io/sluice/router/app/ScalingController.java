package io.sluice.router.app;

import io.micronaut.context.annotation.Requires;
import io.micronaut.http.HttpResponse;
import io.micronaut.http.HttpStatus;
import io.micronaut.http.MediaType;
import io.micronaut.http.annotation.Controller;
import io.micronaut.http.annotation.Get;
import io.sluice.common.protocol.Json;
import io.sluice.router.report.Signals;
import java.util.Map;

/**
 * {@code /scaling}: what the open requests of the whole pool ask of workers, for autoscalers; 503
 * with the reason while that is not completely known. The answer is ready, so this takes no time.
 * Thread-safe.
 */
@Requires(beans = RouterConfig.class)
@Controller
final class ScalingController {
  private final Signals signals;

  ScalingController(RouterCore core) {
    this.signals = core.signals();
  }

  @Get(value = "/scaling", produces = MediaType.APPLICATION_JSON)
  HttpResponse<byte[]> scaling() {
    return switch (signals.answer()) {
      case Signals.Answer.Known known -> HttpResponse.ok(known.json());
      case Signals.Answer.Unknown unknown ->
          HttpResponse.<byte[]>status(HttpStatus.SERVICE_UNAVAILABLE)
              .body(Json.bytes(Map.of("error", unknown.reason())));
    };
  }
}
