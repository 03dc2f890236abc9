package io.sluice.simulator.conformance;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.sluice.simulator.Patience;
import io.sluice.simulator.SimulatedEngine;
import io.sluice.simulator.SimulatorConfig;
import io.sluice.simulator.engine.GpuProfile;
import io.sluice.simulator.http.ServerOptions;
import java.io.IOException;
import java.io.InputStream;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The server under examination: a simulated engine of its own, or the one at {@code -Dengine.url}
 * with the model {@code -Dengine.model}.
 */
final class Target implements AutoCloseable {

  static final ObjectMapper JSON = new ObjectMapper();
  static final String LORA = "adapter";

  private final HttpClient http =
      HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
  private final URI uri;
  private final String model;
  private final int maxModelLen;
  private final Optional<SimulatedEngine> simulator;

  private Target(URI uri, Optional<String> model, Optional<SimulatedEngine> simulator)
      throws IOException, InterruptedException {
    this.uri = uri;
    this.simulator = simulator;
    JsonNode card = JSON.readTree(get("/v1/models").body()).at("/data/0");
    this.model = model.orElse(card.path("id").asText());
    this.maxModelLen = card.path("max_model_len").asInt();
  }

  static Target open() throws IOException, InterruptedException {
    String url = System.getProperty("engine.url", "");
    if (!url.isEmpty()) {
      return new Target(
          URI.create(url),
          Optional.ofNullable(System.getProperty("engine.model")),
          Optional.empty());
    }
    SimulatedEngine engine =
        SimulatedEngine.start(
            SimulatorConfig.of(GpuProfile.H100)
                .withModels(List.of("qwen3-8b"))
                .withMaxModelLen(2048)
                .withSpeed(50)
                .withServer(
                    ServerOptions.with(
                        options -> {
                          options.autoToolChoice = true;
                          options.loras = Map.of(LORA, "/adapters/one");
                        })));
    return new Target(engine.uri(), Optional.empty(), Optional.of(engine));
  }

  boolean isSimulator() {
    return simulator.isPresent();
  }

  String model() {
    return model;
  }

  int maxModelLen() {
    return maxModelLen;
  }

  HttpResponse<String> get(String path) throws IOException, InterruptedException {
    return send(HttpRequest.newBuilder(uri.resolve(path)).GET());
  }

  HttpResponse<String> send(HttpRequest.Builder request) throws IOException, InterruptedException {
    return http.send(
        request.timeout(Patience.LONGEST).build(),
        HttpResponse.BodyHandlers.ofString(StandardCharsets.UTF_8));
  }

  HttpRequest.Builder request(String path) {
    return HttpRequest.newBuilder(uri.resolve(path));
  }

  HttpResponse<String> post(String path, String body, String... headers)
      throws IOException, InterruptedException {
    HttpRequest.Builder request =
        request(path)
            .header("content-type", "application/json")
            .POST(HttpRequest.BodyPublishers.ofString(body));
    if (headers.length > 0) {
      request.headers(headers);
    }
    return send(request);
  }

  /** A chat request about a small thing, with more fields. */
  HttpResponse<String> chat(String more) throws IOException, InterruptedException {
    return post("/v1/chat/completions", chatBody(more));
  }

  String chatBody(String more) {
    return "{\"model\":\"%s\",\"messages\":[{\"role\":\"user\",\"content\":\"Say hello.\"}]%s}"
        .formatted(model, more.isEmpty() ? "" : "," + more);
  }

  HttpResponse<String> completion(String more) throws IOException, InterruptedException {
    return post("/v1/completions", "{\"model\":\"%s\",%s}".formatted(model, more));
  }

  static JsonNode json(HttpResponse<String> answer) throws IOException {
    return JSON.readTree(answer.body());
  }

  /** The JSON texts of all frames, without the end marker. */
  static List<String> frames(HttpResponse<String> stream) {
    List<String> frames = new ArrayList<>();
    for (String event : stream.body().split("\n\n")) {
      if (event.startsWith("data: ") && !event.equals("data: [DONE]")) {
        frames.add(event.substring(6));
      }
    }
    return frames;
  }

  /** Sends a POST on a raw connection and reads up to a text. */
  String raw(String path, String body, String until) throws IOException {
    try (Socket socket = connect()) {
      byte[] bytes = body.getBytes(StandardCharsets.UTF_8);
      String head =
          "POST %s HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: %d\r\n\r\n"
              .formatted(path, bytes.length);
      socket.getOutputStream().write(head.getBytes(StandardCharsets.US_ASCII));
      socket.getOutputStream().write(bytes);
      return readUntil(socket, until);
    }
  }

  Socket connect() throws IOException {
    Socket socket = new Socket(uri.getHost(), uri.getPort() < 0 ? 80 : uri.getPort());
    socket.setSoTimeout((int) Patience.LONGEST.toMillis());
    return socket;
  }

  static String readUntil(Socket socket, String end) throws IOException {
    StringBuilder read = new StringBuilder();
    InputStream in = socket.getInputStream();
    byte[] buffer = new byte[4096];
    while (read.indexOf(end) < 0) {
      int count = in.read(buffer);
      if (count < 0) {
        break;
      }
      read.append(new String(buffer, 0, count, StandardCharsets.ISO_8859_1));
    }
    return read.toString();
  }

  @Override
  public void close() {
    simulator.ifPresent(SimulatedEngine::close);
  }
}
