package io.sluice.bench.process;

import io.sluice.standalone.backend.LocalPort;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.List;

/**
 * A command of the shell that becomes a real engine, in the foreground.
 *
 * @param text in which {@code {port}} stands for the engine's port
 */
public record EngineCommand(String text) {
  private static final String PORT = "{port}";
  private static final Duration ASK_WITHIN = Duration.ofSeconds(5);

  /** An offer of HTTP/2 makes vLLM's server lose the body. */
  private static final HttpClient HTTP =
      HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();

  /**
   * Checks it.
   *
   * @throws IllegalArgumentException if it names no port
   */
  public EngineCommand {
    if (!text.contains(PORT)) {
      throw new IllegalArgumentException("it has to hold " + PORT + ", where the port goes");
    }
  }

  /** How it is started at a port; it is ready when its {@code /health} says so. */
  public Launch at(int port) {
    URI health = URI.create("http://%s:%d/health".formatted(LocalPort.HOST, port));
    return Launch.group(
        List.of("sh", "-c", "exec " + text.replace(PORT, Integer.toString(port))),
        output -> isOk(health));
  }

  private static boolean isOk(URI health) throws InterruptedException {
    try {
      HttpRequest request = HttpRequest.newBuilder(health).timeout(ASK_WITHIN).build();
      return HTTP.send(request, BodyHandlers.discarding()).statusCode() == 200;
    } catch (IOException e) {
      return false;
    }
  }
}
