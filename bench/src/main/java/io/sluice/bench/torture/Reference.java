package io.sluice.bench.torture;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.sluice.simulator.SimulatedEngine;
import io.sluice.simulator.SimulatorConfig;
import io.sluice.simulator.engine.GpuProfile;
import java.io.IOException;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;

/** What an engine answers that nobody disturbs: asked over HTTP with the same bodies. */
final class Reference implements AutoCloseable {
  private static final int SPEED = 2_000;

  /** The uninterrupted answer; of all choices together. */
  record Answer(Map<Integer, String> texts, int tokens) {}

  private final Map<String, SimulatedEngine> engines;
  private final HttpClient http = HttpClient.newHttpClient();

  Reference() throws IOException {
    engines =
        Map.of(
            PoolSize.MODEL,
            start(PoolSize.MODEL),
            PoolSize.OTHER_MODEL,
            start(PoolSize.OTHER_MODEL));
  }

  /** One for each model, for what is answered depends on the model too. */
  private static SimulatedEngine start(String model) throws IOException {
    return SimulatedEngine.start(
        SimulatorConfig.of(GpuProfile.H100)
            .withModels(List.of(model))
            .withMaxModelLen(PoolSize.MAX_MODEL_LEN)
            .withPort(0)
            .withSpeed(SPEED));
  }

  Answer answer(PlannedRequest request) throws IOException, InterruptedException {
    ObjectNode body = request.body().deepCopy();
    body.put("stream", false);
    SimulatedEngine engine =
        Objects.requireNonNull(engines.get(body.path("model").asText()), request.id());
    HttpResponse<byte[]> response =
        http.send(
            HttpRequest.newBuilder(engine.uri().resolve(request.endpoint()))
                .header("Content-Type", "application/json")
                .POST(HttpRequest.BodyPublishers.ofString(body.toString()))
                .build(),
            BodyHandlers.ofByteArray());
    if (response.statusCode() != 200) {
      throw new IOException(
          "the engine answered %d to %s".formatted(response.statusCode(), request.id()));
    }
    JsonNode answer = new ObjectMapper().readTree(response.body());
    Map<Integer, String> texts = new TreeMap<>();
    for (JsonNode choice : answer.path("choices")) {
      texts.put(
          choice.path("index").asInt(),
          choice.path("message").path("content").asText(choice.path("text").asText()));
    }
    return new Answer(texts, answer.path("usage").path("completion_tokens").asInt());
  }

  @Override
  public void close() {
    http.close();
    engines.values().forEach(SimulatedEngine::close);
  }
}
