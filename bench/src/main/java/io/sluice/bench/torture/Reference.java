package io.sluice.bench.torture;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.sluice.simulator.SimulatedEngine;
import io.sluice.simulator.SimulatorConfig;
import io.sluice.simulator.engine.GpuProfile;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/** What an engine answers that nobody disturbs: asked over HTTP with the same bodies. */
final class Reference implements AutoCloseable {
  private static final int SPEED = 2_000;
  private static final int AT_ONCE = 8;
  private static final int ATTEMPTS = 3;
  private static final Duration ANSWER_WITHIN = Duration.ofMinutes(5);

  /** The uninterrupted answer; of all choices together. */
  record Answer(Map<Integer, String> texts, int tokens) {}

  private final Map<String, URI> engines;
  private final List<SimulatedEngine> own;

  /** An offer of HTTP/2 makes vLLM's server lose the body. */
  private final HttpClient http =
      HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();

  private Reference(Map<String, URI> engines, List<SimulatedEngine> own) {
    this.engines = Map.copyOf(engines);
    this.own = List.copyOf(own);
  }

  /** Simulated engines of its own, or a real one of the pool, which nobody disturbs any more. */
  static Reference of(PoolSetup setup, PoolProcesses pool) throws IOException {
    Engines kind = setup.engines();
    if (!kind.areSimulated()) {
      return new Reference(Map.of(kind.model(), pool.http(Target.engine(1), "")), List.of());
    }
    Map<String, URI> engines = new HashMap<>();
    List<SimulatedEngine> own = new ArrayList<>();
    // One for each model, for what is answered depends on the model too.
    for (String model : List.of(kind.model(), kind.otherModel())) {
      SimulatedEngine engine = start(model, kind.maxModelLen());
      own.add(engine);
      engines.put(model, engine.uri());
    }
    return new Reference(engines, own);
  }

  private static SimulatedEngine start(String model, int maxModelLen) throws IOException {
    return SimulatedEngine.start(
        SimulatorConfig.of(GpuProfile.H100)
            .withModels(List.of(model))
            .withMaxModelLen(maxModelLen)
            .withPort(0)
            .withSpeed(SPEED));
  }

  /** Asks for the answers of these, some at a time; by their ids. */
  Map<String, Answer> answers(List<PlannedRequest> requests)
      throws IOException, InterruptedException {
    Map<String, Future<Answer>> asked = new HashMap<>();
    try (ExecutorService pool = Executors.newFixedThreadPool(AT_ONCE)) {
      for (PlannedRequest request : requests) {
        asked.put(request.id(), pool.submit(() -> answer(request)));
      }
    }
    Map<String, Answer> answers = new HashMap<>();
    for (Map.Entry<String, Future<Answer>> one : asked.entrySet()) {
      try {
        answers.put(one.getKey(), one.getValue().get());
      } catch (ExecutionException e) {
        throw new IOException(
            "no undisturbed answer of %s: %s".formatted(one.getKey(), e.getCause()), e);
      }
    }
    return answers;
  }

  /** Asks again when the connection broke: a server may close an idle one just as it is used. */
  private Answer answer(PlannedRequest request) throws IOException, InterruptedException {
    for (int attempt = 1; ; attempt++) {
      try {
        return ask(request);
      } catch (IOException e) {
        if (attempt == ATTEMPTS) {
          throw e;
        }
      }
    }
  }

  private Answer ask(PlannedRequest request) throws IOException, InterruptedException {
    ObjectNode body = request.body().deepCopy();
    body.put("stream", false);
    URI engine = Objects.requireNonNull(engines.get(body.path("model").asText()), request.id());
    HttpResponse<byte[]> response =
        http.send(
            HttpRequest.newBuilder(engine.resolve(request.endpoint()))
                .header("Content-Type", "application/json")
                .timeout(ANSWER_WITHIN)
                .POST(HttpRequest.BodyPublishers.ofString(body.toString()))
                .build(),
            BodyHandlers.ofByteArray());
    if (response.statusCode() != 200) {
      throw new IOException(
          "the engine answered %d: %s"
              .formatted(
                  response.statusCode(), new String(response.body(), StandardCharsets.UTF_8)));
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
    own.forEach(SimulatedEngine::close);
  }
}
