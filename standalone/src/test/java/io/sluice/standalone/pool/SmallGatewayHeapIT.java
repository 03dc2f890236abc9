package io.sluice.standalone.pool;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import io.sluice.common.protocol.Json;
import io.sluice.simulator.SimulatorConfig;
import io.sluice.simulator.engine.timing.GpuProfile;
import io.sluice.standalone.backend.Backends;
import io.sluice.standalone.backend.LocalPort;
import io.sluice.standalone.backend.SharedBackends;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentSkipListSet;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** A gateway whose clients send bodies that need many times their size when they are parsed. */
@ExtendWith(SharedBackends.class)
class SmallGatewayHeapIT {
  private static final SimulatorConfig ENGINE =
      SimulatorConfig.of(GpuProfile.RTX4090).withSpeed(8).withModels(List.of(PoolPlan.MODEL));

  /** A body with more is refused before it is parsed to its end. */
  private static final int MOST_TOKENS = 990_000;

  private static final int SLOTS = 128;
  private static final int AT_ONCE = 16;

  /** With 256 KiB each, more than the heap has next to the gateway itself. */
  private static final int UNREAD_STREAMS = 900;

  private static final int PER_CONNECTION = 100;

  private static final String LARGE_ANSWER =
      "{\"model\":\"%s\",\"stream\":true,\"logprobs\":true,\"top_logprobs\":20,\"max_tokens\":120,\"ignore_eos\":true,\"messages\":[{\"role\":\"user\",\"content\":\"Hi\"}]}"
          .formatted(PoolPlan.MODEL);

  /** Is not refused if the machine is so slow that others would wait too long. */
  private static final Map<String, String> BULK = Map.of("x-sluice-priority", "bulk");

  private static final int NO_ANSWER = 0;
  private static final int BATCHES = 6;
  private static final int LINES = 6;

  /** On a busy machine, all answers take more than a minute. */
  private static final Duration PATIENCE = Duration.ofMinutes(4);

  private static final Duration ATTACK = Duration.ofSeconds(15);

  private final HttpClient http =
      HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
  private final List<AutoCloseable> running = new ArrayList<>();
  private int port;
  @TempDir private Path files;

  @BeforeEach
  void start(Backends backends) throws Exception {
    LocalPool pool =
        LocalPool.start(
            PoolPlanBuilder.builder()
                .ports(Ports.free())
                .access(Map.of())
                .gatewayVariables(Map.of())
                .exposure(Exposure.NONE)
                .partitions(PoolPlan.LOCAL_PARTITIONS)
                .models(PoolPlan.MODEL + "=16384")
                .fallbacks("")
                .workers(
                    List.of(
                        new WorkerPlan(
                            "a", Optional.empty(), new WorkerPlan.Engine.Simulated(ENGINE), SLOTS)))
                .kafka(Optional.of(backends.kafkaBootstrapServers()))
                .redis(Optional.of(backends.redisUri()))
                .build());
    running.add(pool);
    // It would run some of the batches.
    pool.gateway().close();
    ServiceProcesses processes = new ServiceProcesses(backends);
    running.add(processes);
    port = LocalPort.settle(0, "the gateway");
    processes.gateway(port, "--files=folder:" + files);
  }

  @AfterEach
  void stop() throws Exception {
    for (AutoCloseable part : running.reversed()) {
      part.close();
    }
  }

  @Test
  void valuesThatNeedManyTimesTheirSizeDoNotFillTheHeap() throws Exception {
    // Given
    List<HttpRequest> attacks =
        List.of(
            chat("\"x\":[" + "{\"\":0},".repeat(MOST_TOKENS / 4) + "0],"),
            chat("\"x\":[" + "[],".repeat(MOST_TOKENS / 2) + "0],"),
            chat("\"x\":[" + "\"\",".repeat(MOST_TOKENS) + "0],"),
            chat("\"x\":[" + "0,".repeat(MOST_TOKENS) + "0],"),
            chat("\"x\":\"" + "\u00e4".repeat(MOST_TOKENS) + "\u4e00\","),
            chat("\"x\":" + "{\"\":".repeat(250) + "0" + "}".repeat(250) + ","),
            responses("\"metadata\":{\"x\":[" + "{\"\":0},".repeat(MOST_TOKENS / 4) + "0]},"),
            responses("\"x\":[" + "\"\",".repeat(MOST_TOKENS) + "0],"));
    long untilNanos = System.nanoTime() + ATTACK.toNanos();
    Set<Integer> statuses = new ConcurrentSkipListSet<>();
    List<CompletableFuture<Void>> attackers = new ArrayList<>();
    for (int i = 0; i < AT_ONCE; i++) {
      HttpRequest attack = attacks.get(i % attacks.size());
      attackers.add(
          CompletableFuture.runAsync(
              () -> {
                while (System.nanoTime() - untilNanos < 0) {
                  statuses.add(status(attack));
                }
              },
              task -> Thread.ofVirtual().start(task)));
    }

    // When
    List<Integer> small = new ArrayList<>();
    while (System.nanoTime() - untilNanos < 0) {
      small.add(status(chat("")));
    }

    // Then
    CompletableFuture.allOf(attackers.toArray(CompletableFuture<?>[]::new)).join();
    assertThat(small).isNotEmpty().containsOnly(200);
    assertThat(statuses).contains(200).isSubsetOf(200, 400, 429);
  }

  @Test
  void unreadStreamsDoNotFillTheHeap() throws Exception {
    // Given
    List<Http2Client.Exchange> unread = new ArrayList<>();
    for (int connection = 0; connection < UNREAD_STREAMS / PER_CONNECTION; connection++) {
      Http2Client client = Http2Client.withoutWindow(port);
      running.add(client);
      for (int i = 0; i < PER_CONNECTION; i++) {
        unread.add(client.post("/v1/chat/completions", LARGE_ANSWER, BULK));
      }
    }

    // When
    for (Http2Client.Exchange exchange : unread) {
      assertThat(exchange.status().get(PATIENCE.toSeconds(), TimeUnit.SECONDS)).isEqualTo(200);
    }

    // Then: a pool that is still busy may refuse the next one at first
    await().atMost(PATIENCE).until(() -> status(post("/v1/chat/completions", LARGE_ANSWER)) == 200);
    assertThat(unread).noneMatch(exchange -> exchange.body().isDone());
    assertThat(status(chat(""))).isEqualTo(200);
  }

  @Test
  void batchesOfSuchLinesDoNotFillTheHeap() throws Exception {
    // Given more batches than run at once, all of one tenant
    String file = upload(line("\"x\":[" + "\"a\",".repeat(MOST_TOKENS) + "0],"));
    List<String> batches = new ArrayList<>();
    for (int i = 0; i < BATCHES; i++) {
      batches.add(
          json(post(
                  "/v1/batches",
                  "{\"input_file_id\":\"%s\",\"endpoint\":\"/v1/chat/completions\",\"completion_window\":\"24h\"}"
                      .formatted(file)))
              .path("id")
              .asText());
    }

    // When
    List<Integer> small = new ArrayList<>();
    long untilNanos = System.nanoTime() + PATIENCE.toNanos();
    while (!batches.stream().allMatch(this::isCompleted) && System.nanoTime() < untilNanos) {
      small.add(status(chat("")));
    }

    // Then
    assertThat(small).isNotEmpty().containsOnly(200);
    for (String batch : batches) {
      assertThat(batch(batch).at("/request_counts/completed").asInt()).isEqualTo(LINES);
    }
  }

  private boolean isCompleted(String batch) {
    try {
      return batch(batch).path("status").asText().equals("completed");
    } catch (IOException e) {
      return false;
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  private JsonNode batch(String id) throws IOException, InterruptedException {
    return json(HttpRequest.newBuilder(URI.create(url("/v1/batches/" + id))).build());
  }

  private JsonNode json(HttpRequest request) throws IOException, InterruptedException {
    return Json.known(http.send(request, BodyHandlers.ofString()).body());
  }

  private static String line(String more) {
    return "{\"custom_id\":\"%%d\",\"url\":\"/v1/chat/completions\",\"body\":{%s\"model\":\"%s\",\"max_tokens\":2,\"messages\":[{\"role\":\"user\",\"content\":\"Hi\"}]}}\n"
        .formatted(more, PoolPlan.MODEL);
  }

  /** Uploads a file of equal lines, and returns its id. */
  private String upload(String line) throws IOException, InterruptedException {
    StringBuilder body = new StringBuilder();
    body.append("--b\r\nContent-Disposition: form-data; name=\"purpose\"\r\n\r\nbatch\r\n");
    body.append("--b\r\nContent-Disposition: form-data; name=\"file\"; filename=\"f\"\r\n\r\n");
    for (int i = 0; i < LINES; i++) {
      body.append(line.formatted(i));
    }
    body.append("\r\n--b--\r\n");
    HttpRequest request =
        HttpRequest.newBuilder(URI.create(url("/v1/files")))
            .header("content-type", "multipart/form-data; boundary=b")
            .POST(BodyPublishers.ofString(body.toString()))
            .build();
    return json(request).path("id").asText();
  }

  private int status(HttpRequest request) {
    try {
      HttpResponse<String> response = http.send(request, BodyHandlers.ofString());
      return response.statusCode();
    } catch (Exception e) {
      return NO_ANSWER;
    }
  }

  private HttpRequest chat(String more) {
    return post(
        "/v1/chat/completions",
        "{%s\"model\":\"%s\",\"max_tokens\":2,\"messages\":[{\"role\":\"user\",\"content\":\"Hi\"}]}"
            .formatted(more, PoolPlan.MODEL));
  }

  private HttpRequest responses(String more) {
    return post(
        "/v1/responses",
        "{%s\"model\":\"%s\",\"max_output_tokens\":16,\"input\":\"Hi\"}"
            .formatted(more, PoolPlan.MODEL));
  }

  private String url(String path) {
    return "http://127.0.0.1:" + port + path;
  }

  private HttpRequest post(String path, String body) {
    return HttpRequest.newBuilder(URI.create(url(path)))
        .header("content-type", "application/json")
        .timeout(PATIENCE)
        .POST(BodyPublishers.ofString(body))
        .build();
  }
}
