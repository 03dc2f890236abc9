package io.sluice.simulator.admin;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.sluice.simulator.fault.Fault;
import io.sluice.simulator.fault.FaultBoard;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/**
 * The controls of an engine: a small JSON API on its own port. It exists as long as the simulator,
 * through all deaths and restarts of the engine.
 *
 * <p>{@code GET /faults}, {@code PUT /faults} and {@code POST /faults} with {@code
 * {"faults":["stall-after=5"]}}, {@code DELETE /faults}; {@code GET /state}; {@code POST /die},
 * {@code /oom} and {@code /restart} with an optional {@code {"boot_seconds":5}}, and {@code
 * /terminate}; {@code GET /metrics}, the series of a DCGM exporter for one GPU.
 */
public final class AdminServer implements AutoCloseable {

  private static final int MAX_BODY_BYTES = 64 * 1024;
  private static final Duration DEFAULT_BOOT = Duration.ofSeconds(5);
  private static final String JSON = "application/json";

  /** A request is invalid. The message says why. */
  private static final class BadRequest extends RuntimeException {
    private static final long serialVersionUID = 1L;

    BadRequest(String message) {
      super(message, null, false, false);
    }
  }

  private final JsonMapper json = JsonMapper.builder().build();
  private final FaultBoard faults;
  private final Operations operations;
  private final GpuSensor sensor;
  private final String gpu;
  private final HttpServer server;

  private AdminServer(
      HttpServer server, FaultBoard faults, Operations operations, GpuSensor sensor, String gpu) {
    this.server = server;
    this.faults = faults;
    this.operations = operations;
    this.sensor = sensor;
    this.gpu = gpu;
  }

  /**
   * Starts to listen.
   *
   * @param port the port; 0 for a free one
   * @param gpu the name of the GPU in its metrics
   * @throws IOException if the address cannot be bound; the message names it
   */
  public static AdminServer start(
      String host, int port, FaultBoard faults, Operations operations, GpuSensor sensor, String gpu)
      throws IOException {
    HttpServer server;
    try {
      server = HttpServer.create(new InetSocketAddress(host, port), 0);
    } catch (IOException e) {
      throw new IOException(
          "Cannot listen on %s:%d for the admin API: %s. Choose another --admin-port."
              .formatted(host, port, e.getMessage()),
          e);
    }
    AdminServer admin = new AdminServer(server, faults, operations, sensor, gpu);
    server.createContext("/", admin::handle);
    server.start();
    return admin;
  }

  /** Returns the port it listens on. */
  public int port() {
    return server.getAddress().getPort();
  }

  @Override
  public void close() {
    server.stop(0);
  }

  private void handle(HttpExchange exchange) throws IOException {
    try (exchange) {
      answer(exchange);
    }
  }

  private void answer(HttpExchange exchange) throws IOException {
    try {
      String route = exchange.getRequestMethod() + " " + exchange.getRequestURI().getPath();
      switch (route) {
        case "GET /faults" -> replyFaults(exchange);
        case "PUT /faults" -> {
          faults.set(wanted(body(exchange)));
          replyFaults(exchange);
        }
        case "POST /faults" -> {
          wanted(body(exchange)).forEach(faults::add);
          replyFaults(exchange);
        }
        case "DELETE /faults" -> {
          faults.set(List.of());
          replyFaults(exchange);
        }
        case "GET /state" -> replyState(exchange);
        case "POST /die" -> {
          operations.die(boot(body(exchange)));
          replyState(exchange);
        }
        case "POST /oom" -> {
          operations.outOfMemory(boot(body(exchange)));
          replyState(exchange);
        }
        case "POST /terminate" -> {
          operations.terminate();
          replyState(exchange);
        }
        case "POST /restart" -> {
          operations.restart(boot(body(exchange)).orElse(DEFAULT_BOOT));
          replyState(exchange);
        }
        case "GET /metrics" -> reply(exchange, 200, "text/plain; version=0.0.4", gpuMetrics());
        default ->
            reply(
                exchange,
                404,
                JSON,
                json.writeValueAsString(
                    Map.of(
                        "error",
                        "Unknown route "
                            + route
                            + ". Use GET, PUT, POST or DELETE /faults, GET /state, POST /die, /oom, /terminate or /restart, or GET /metrics.")));
      }
    } catch (BadRequest | IllegalArgumentException e) {
      reply(
          exchange,
          400,
          JSON,
          json.writeValueAsString(Map.of("error", String.valueOf(e.getMessage()))));
    }
  }

  private JsonNode body(HttpExchange exchange) throws IOException {
    byte[] bytes = exchange.getRequestBody().readNBytes(MAX_BODY_BYTES);
    if (bytes.length == 0) {
      return json.createObjectNode();
    }
    try {
      JsonNode body = json.readTree(bytes);
      if (body.isObject()) {
        return body;
      }
    } catch (JsonProcessingException e) {
      throw new BadRequest("The body is not JSON: " + e.getOriginalMessage());
    }
    throw new BadRequest("The body must be a JSON object.");
  }

  private static List<Fault> wanted(JsonNode body) {
    List<Fault> wanted = new ArrayList<>();
    if (!body.path("faults").isArray()) {
      throw new BadRequest("The body must have the form {\"faults\":[\"stall-after=5\", ...]}.");
    }
    body.get("faults").forEach(fault -> wanted.add(Fault.parse(fault.asText())));
    return wanted;
  }

  private static Optional<Duration> boot(JsonNode body) {
    JsonNode seconds = body.path("boot_seconds");
    if (seconds.isMissingNode()) {
      return Optional.empty();
    }
    if (!seconds.isNumber() || seconds.doubleValue() < 0) {
      throw new BadRequest("boot_seconds must be a number of seconds, 0 or more.");
    }
    return Optional.of(Duration.ofNanos((long) (seconds.doubleValue() * 1e9)));
  }

  private void replyFaults(HttpExchange exchange) throws IOException {
    ObjectNode answer = json.createObjectNode();
    faults.faults().forEach(fault -> answer.withArray("faults").add(fault.toString()));
    answer.withArray("faults");
    reply(exchange, 200, JSON, json.writeValueAsString(answer));
  }

  private void replyState(HttpExchange exchange) throws IOException {
    ObjectNode answer = json.createObjectNode();
    answer.put("state", operations.state().name().toLowerCase(Locale.ROOT));
    answer.put("lost_kv_blocks", operations.lostBlocks());
    answer.put("gpu_temperature_celsius", sensor.celsius());
    answer.put("gpu_utilization_percent", sensor.utilizationPercent());
    reply(exchange, 200, JSON, json.writeValueAsString(answer));
  }

  private String gpuMetrics() {
    return gauge("DCGM_FI_DEV_GPU_TEMP", "GPU temperature (in C).", Math.round(sensor.celsius()))
        + gauge("DCGM_FI_DEV_GPU_UTIL", "GPU utilization (in %).", sensor.utilizationPercent());
  }

  private String gauge(String name, String help, long value) {
    return """
        # HELP %1$s %2$s
        # TYPE %1$s gauge
        %1$s{gpu="0",device="nvidia0",modelName="%3$s"} %4$d
        """
        .formatted(name, help, gpu, value);
  }

  private static void reply(HttpExchange exchange, int status, String type, String text)
      throws IOException {
    byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
    exchange.getResponseHeaders().set("Content-Type", type);
    exchange.sendResponseHeaders(status, bytes.length);
    exchange.getResponseBody().write(bytes);
  }
}
