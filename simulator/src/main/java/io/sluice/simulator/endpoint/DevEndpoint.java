package io.sluice.simulator.endpoint;

import io.sluice.simulator.http.Exchange;
import io.sluice.simulator.openai.request.ApiError;
import io.sluice.simulator.serving.EngineDriver;
import io.sluice.simulator.serving.PauseMode;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/** The routes of {@code VLLM_SERVER_DEV_MODE}: sleep, pause and cache resets. */
final class DevEndpoint {

  private static final byte[] EMPTY = new byte[0];

  private final EngineDriver driver;

  DevEndpoint(EngineDriver driver) {
    this.driver = driver;
  }

  void sleep(Exchange exchange) {
    String level = exchange.query("level").stream().findFirst().orElse("1");
    if (!List.of("0", "1", "2").contains(level)) {
      throw ApiError.badRequest("level must be 0, 1 or 2, got '" + level + "'.");
    }
    replyWhenDone(exchange, driver.sleep(Integer.parseInt(level), mode(exchange)), "", EMPTY);
  }

  void wakeUp(Exchange exchange) {
    driver.resume();
    exchange.reply(200, "", EMPTY);
  }

  void isSleeping(Exchange exchange) {
    exchange.replyJson(200, ascii("{\"is_sleeping\":" + driver.isSleeping() + "}"));
  }

  void pause(Exchange exchange) {
    replyWhenDone(
        exchange,
        driver.pause(mode(exchange), flag(exchange, "clear_cache", true)),
        "application/json",
        ascii("{\"status\":\"paused\"}"));
  }

  void resume(Exchange exchange) {
    driver.resume();
    exchange.replyJson(200, ascii("{\"status\":\"resumed\"}"));
  }

  void isPaused(Exchange exchange) {
    exchange.replyJson(200, ascii("{\"is_paused\":" + driver.isPaused() + "}"));
  }

  void resetPrefixCache(Exchange exchange) {
    driver.resetPrefixCache(flag(exchange, "reset_running_requests", false));
    exchange.reply(200, "", EMPTY);
  }

  /** Does nothing: the simulated model has neither a multimodal nor an encoder cache. */
  void nothingToReset(Exchange exchange) {
    exchange.reply(200, "", EMPTY);
  }

  private static void replyWhenDone(
      Exchange exchange, CompletableFuture<Void> done, String contentType, byte[] body) {
    var _ =
        done.thenRun(
            () ->
                exchange.execute(
                    () -> {
                      if (!exchange.isEnded()) {
                        exchange.reply(200, contentType, body);
                      }
                    }));
  }

  private static PauseMode mode(Exchange exchange) {
    String name = exchange.query("mode").stream().findFirst().orElse("abort");
    return PauseMode.named(name)
        .orElseThrow(
            () -> ApiError.badRequest("mode must be abort, wait or keep, got '" + name + "'."));
  }

  private static boolean flag(Exchange exchange, String name, boolean otherwise) {
    return exchange.query(name).stream()
        .findFirst()
        .map(value -> value.equalsIgnoreCase("true") || value.equals("1"))
        .orElse(otherwise);
  }

  private static byte[] ascii(String text) {
    return text.getBytes(StandardCharsets.US_ASCII);
  }
}
