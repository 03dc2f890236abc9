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
 * A shell command that runs a real engine in the foreground.
 *
 * @param text the command; {@code {port}} in it stands for the engine's port
 */
public record EngineCommand(String text) {
  private static final String PORT = "{port}";
  private static final Duration ASK_WITHIN = Duration.ofSeconds(5);

  /** Uses HTTP/1.1, because vLLM's server loses the body of a request that offers HTTP/2. */
  private static final HttpClient HTTP =
      HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();

  /**
   * Checks the command.
   *
   * @throws IllegalArgumentException if it names no port
   */
  public EngineCommand {
    if (!text.contains(PORT)) {
      throw new IllegalArgumentException(
          "the command must contain " + PORT + ", which stands for the engine's port");
    }
  }

  /** Returns how it is started on a port. It is ready when {@code /health} answers 200. */
  public Launch at(int port) {
    URI health = URI.create("http://%s:%s/health".formatted(LocalPort.HOST, port));
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
