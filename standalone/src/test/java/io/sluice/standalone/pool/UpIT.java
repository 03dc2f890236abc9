package io.sluice.standalone.pool;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import io.sluice.common.protocol.Json;
import io.sluice.common.protocol.Topics;
import io.sluice.simulator.SimulatedEngine;
import io.sluice.simulator.SimulatorConfig;
import io.sluice.simulator.engine.timing.GpuProfile;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AdminClientConfig;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code up --engine} as a process of its own: killed, started again, and joined by a worker. */
class UpIT {
  private static final Duration PATIENCE = Duration.ofSeconds(60);
  private static final String OTHER_MODEL = "other-model";

  /** Loopback too, but no listener of 127.0.0.1 can be reached by it. */
  private static final String OTHER_ADDRESS = "127.0.0.2";

  /** The statuses of a response that can be read whole; its length may be what was allowed. */
  private static final Set<String> ENDED = Set.of("completed", "incomplete");

  private static final int REQUESTS = 30;
  private static final int TOKENS = 200;
  private static final int RESPONSES = 5;

  private final HttpClient http = HttpClient.newHttpClient();
  private final List<ServiceProcess> processes = new ArrayList<>();
  private SimulatedEngine engine;
  @TempDir private Path data;

  @BeforeEach
  void startEngine() throws Exception {
    engine = engine(PoolPlan.MODEL);
  }

  @AfterEach
  void stop() {
    processes.forEach(ServiceProcess::close);
    engine.close();
    http.close();
  }

  @Test
  void killedUnderLoadItAnswersEveryRequestAfterARestartAndEndsWithItsRedis() throws Exception {
    // Given a pool that has answered some requests and is in the middle of others
    Up first = up();
    List<String> responses = new ArrayList<>();
    try (PlainClient client = new PlainClient(first.kafka())) {
      for (int i = 0; i < RESPONSES; i++) {
        responses.add(respond(first));
      }
      await().atMost(PATIENCE).until(() -> status(first, responses.getFirst()), ENDED::contains);
      List<Future<RecordMetadata>> sent = new ArrayList<>();
      for (int i = 0; i < REQUESTS; i++) {
        sent.add(
            client.sending(
                "sluice.requests.2k", id(i), Requests.chat("question " + i, TOKENS), headers(i)));
      }
      for (Future<RecordMetadata> one : sent) {
        one.get(30, TimeUnit.SECONDS);
      }
      client.collect(Topics.REPLIES, PlainClient.ofRequest(id(0)), records -> records.size() >= 3);
    }

    // When it is killed and started again with the same data
    first.process().kill();
    Up second = up();

    // Then every request is answered once, and every stored response can be read
    try (PlainClient client = new PlainClient(second.kafka())) {
      List<PlainClient.Answer> answers = new ArrayList<>();
      for (int i = 0; i < REQUESTS; i++) {
        answers.add(client.read(Topics.REPLIES, id(i)));
      }
      assertThat(answers).allMatch(PlainClient.Answer::ok);
      assertThat(answers).extracting(PlainClient.Answer::tokens).containsOnly(TOKENS);
      assertThat(answers).as("the kill interrupts some").anyMatch(answer -> answer.attempts() > 1);
    }
    for (String response : responses) {
      await().atMost(PATIENCE).until(() -> status(second, response), ENDED::contains);
    }

    // When its Redis is killed, it ends, so that a supervisor starts it again
    second.process().children().stream()
        .filter(child -> child.info().command().orElse("").contains("redis"))
        .findFirst()
        .orElseThrow()
        .destroyForcibly();
    second.process().awaitLine("the embedded Redis has ended; the pool ends");
    assertThat(second.process().awaitEnd()).isEqualTo(1);
  }

  @Test
  void aWorkerOfAnotherMachineJoinsWithThePrintedCommandAndOnlyWithThePassword() throws Exception {
    // Given
    Up up = up("--host", OTHER_ADDRESS);
    String command = up.process().awaitLine("./sluice worker");
    Path access = data.resolve("access");
    assertThat(command).contains("access/kafka.properties").contains("access/redis-password");
    assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(access)))
        .isEqualTo("rwx------");
    try (SimulatedEngine others = engine(OTHER_MODEL)) {
      // When
      List<String> arguments =
          new ArrayList<>(List.of("worker", "--port=0", "--id=second-machine"));
      arguments.add("--engine-url=" + others.uri());
      arguments.addAll(
          Arrays.asList(
              command
                  .substring(command.indexOf("--kafka"))
                  .replace(" access/", " " + access + "/")
                  .split(" ")));
      processes.add(ServiceProcess.start(arguments.toArray(String[]::new)));

      // Then it serves what only its engine has
      await()
          .atMost(PATIENCE)
          .until(() -> post(up, "/v1/chat/completions", chat(OTHER_MODEL)).has("choices"));
    }

    // And without the password there is neither Kafka nor Redis
    String kafka = after(command, "--kafka ");
    try (Admin admin = impatientAdmin(kafka)) {
      assertThatThrownBy(() -> admin.describeCluster().nodes().get(30, TimeUnit.SECONDS))
          .isInstanceOf(ExecutionException.class);
    }
    assertThat(ping(URI.create(after(command, "--redis ")))).startsWith("-NOAUTH");
  }

  /** Its close waits for its calls, which time out after a minute if nothing is said. */
  private static Admin impatientAdmin(String kafka) {
    return Admin.create(
        Map.of(
            AdminClientConfig.BOOTSTRAP_SERVERS_CONFIG, kafka,
            AdminClientConfig.REQUEST_TIMEOUT_MS_CONFIG, 3_000,
            AdminClientConfig.DEFAULT_API_TIMEOUT_MS_CONFIG, 3_000));
  }

  private record Up(ServiceProcess process, String kafka, String gateway) {}

  private Up up(String... options) throws Exception {
    List<String> arguments =
        new ArrayList<>(List.of("up", "--engine", engine.uri().toString(), "--data"));
    arguments.add(data.toString());
    arguments.addAll(List.of(options));
    ServiceProcess process = ServiceProcess.launch(512, arguments.toArray(String[]::new));
    processes.add(process);
    return new Up(
        process,
        lastWord(process.awaitLine("  Kafka")),
        lastWord(process.awaitLine("  gateway")).replace("/v1", ""));
  }

  private static String lastWord(String line) {
    return line.substring(line.lastIndexOf(' ') + 1);
  }

  private static String after(String line, String option) {
    return line.substring(line.indexOf(option) + option.length()).split(" ")[0];
  }

  private static SimulatedEngine engine(String model) throws Exception {
    return SimulatedEngine.start(SimulatorConfig.of(GpuProfile.RTX4090).withModels(List.of(model)));
  }

  private static String id(int number) {
    return "up-" + number;
  }

  private static Map<String, String> headers(int number) {
    return Map.of("request-id", id(number));
  }

  private static String chat(String model) {
    return """
        {"model":"%s","max_tokens":8,"messages":[{"role":"user","content":"hello"}]}"""
        .formatted(model);
  }

  /** Asks Redis without a password; returns its answer. */
  private static String ping(URI redis) throws Exception {
    try (var socket = new Socket(redis.getHost(), redis.getPort())) {
      socket.setSoTimeout((int) PATIENCE.toMillis());
      socket.getOutputStream().write("PING\r\n".getBytes(UTF_8));
      return new BufferedReader(new InputStreamReader(socket.getInputStream(), UTF_8)).readLine();
    }
  }

  /** Starts a response in the background; returns its id. */
  private String respond(Up up) throws Exception {
    String body =
        """
        {"model":"%s","input":"hello","background":true,"max_output_tokens":20}"""
            .formatted(PoolPlan.MODEL);
    return post(up, "/v1/responses", body).path("id").asText();
  }

  private String status(Up up, String response) throws Exception {
    HttpRequest ask =
        HttpRequest.newBuilder(URI.create(up.gateway() + "/v1/responses/" + response)).build();
    return Json.mapper()
        .readTree(http.send(ask, BodyHandlers.ofString(UTF_8)).body())
        .path("status")
        .asText();
  }

  private JsonNode post(Up up, String path, String body) throws Exception {
    HttpRequest request =
        HttpRequest.newBuilder(URI.create(up.gateway() + path))
            .header("content-type", "application/json")
            .timeout(PATIENCE)
            .POST(BodyPublishers.ofString(body))
            .build();
    return Json.mapper().readTree(http.send(request, BodyHandlers.ofString(UTF_8)).body());
  }
}
