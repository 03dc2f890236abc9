package io.sluice.worker.watchdog;

import io.sluice.common.protocol.Json;
import io.sluice.worker.bounded.BoundedHttp;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;

/**
 * Restarts an engine by a POST of {@code {"worker":ID,"engine":URL,"cause":CAUSE}}. A status from
 * 200 to 299 means that the engine restarts.
 */
record PostRestart(URI url, String workerId, URI engine, Duration atMost) implements RestartAction {
  private static final long MOST_BYTES = 1024 * 1024;

  @Override
  public void restart(String cause) throws RestartFailedException, InterruptedException {
    byte[] body =
        Json.bytes(
            Json.mapper()
                .createObjectNode()
                .put("worker", workerId)
                .put("engine", engine.toString())
                .put("cause", cause));
    var request =
        HttpRequest.newBuilder(url)
            .header("content-type", "application/json")
            .POST(BodyPublishers.ofByteArray(body))
            .build();
    try (BoundedHttp http = BoundedHttp.of(atMost, MOST_BYTES)) {
      int status = http.send(request, BodyHandlers.discarding()).statusCode();
      if (status < 200 || status > 299) {
        throw new RestartFailedException(url + " answered with status " + status);
      }
    } catch (IOException e) {
      throw new RestartFailedException(String.valueOf(e.getMessage()));
    }
  }
}
