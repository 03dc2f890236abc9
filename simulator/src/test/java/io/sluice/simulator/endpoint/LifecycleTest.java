package io.sluice.simulator.endpoint;

import static io.sluice.simulator.Patience.await;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import io.sluice.simulator.SimulatedEngine;
import io.sluice.simulator.SimulatorConfig;
import io.sluice.simulator.engine.Scheduling;
import io.sluice.simulator.engine.timing.GpuProfile;
import io.sluice.simulator.text.Tokenizer;
import java.io.IOException;
import java.net.Socket;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Disconnects, stops, and the statistics afterwards. */
@Tag("slow")
class LifecycleTest {

  private static final Tokenizer TOKENIZER = new Tokenizer();
  private static final String CHAT = "/v1/chat/completions";
  private static final String ENDLESS =
      "{\"messages\":[{\"role\":\"user\",\"content\":\"Hi\"}],\"ignore_eos\":true,\"stream\":%s}";

  private SimulatedEngine engine;
  private Client client;

  @BeforeEach
  void start() throws IOException {
    engine =
        SimulatedEngine.start(
            SimulatorConfig.of(GpuProfile.H100)
                .withModels(List.of("m"))
                .withScheduling(Scheduling.of(2, 8_192).withAsync(true))
                .withSpeed(2),
            TOKENIZER);
    client = new Client(engine);
  }

  @AfterEach
  void stop() {
    engine.kill();
  }

  @Test
  void aDisconnectedClientLeavesNoTraceInTheFinishedRequests() throws IOException {
    // Given: two running requests (one streaming, one not) and a waiting one
    Socket streaming = client.open(CHAT, ENDLESS.formatted("true"));
    Socket whole = client.open(CHAT, ENDLESS.formatted("false"));
    await().until(() -> client.metric("vllm:num_requests_running") == 2);
    Socket queued = client.open(CHAT, ENDLESS.formatted("true"));
    assertThat(Client.readUntil(queued, "\r\n\r\n")).startsWith("HTTP/1.1 200 OK");
    await().until(() -> client.metric("vllm:num_requests_waiting") == 1);

    // When
    queued.close();
    await().until(() -> client.metric("vllm:num_requests_waiting") == 0);
    streaming.close();
    whole.close();

    // Then
    await().until(() -> client.metric("vllm:num_requests_running") == 0);
    assertThat(client.metric("vllm:kv_cache_usage_perc")).isZero();
    assertThat(client.metric("vllm:generation_tokens_total")).isPositive();
    assertThat(client.metric("vllm:request_success_total")).isZero();
    assertThat(client.metric("vllm:e2e_request_latency_seconds_count")).isZero();
  }

  @Test
  void theStatisticsAddUp() {
    // When
    int requests = 6;
    for (int i = 0; i < requests; i++) {
      client.post(
          CHAT,
          "{\"messages\":[{\"role\":\"user\",\"content\":\"%d\"}],\"max_tokens\":%d}"
              .formatted(i, 5 + i));
    }
    client.post("/v1/completions", "{\"prompt\":[\"a\",\"b\"],\"n\":2,\"max_tokens\":4}");
    int choices = requests + 4;

    // Then
    double prompt = client.metric("vllm:prompt_tokens_total");
    double generated = client.metric("vllm:generation_tokens_total");
    assertThat(generated).isEqualTo(5 + 6 + 7 + 8 + 9 + 10 + 16);
    assertThat(client.metric("vllm:time_to_first_token_seconds_count")).isEqualTo(choices);
    assertThat(client.metric("vllm:inter_token_latency_seconds_count"))
        .isEqualTo(generated - choices);
    assertThat(client.metric("vllm:e2e_request_latency_seconds_count")).isEqualTo(choices);
    assertThat(client.metric("vllm:request_queue_time_seconds_count")).isEqualTo(choices);
    assertThat(client.metric("vllm:inter_token_latency_seconds_sum"))
        .isCloseTo(client.metric("vllm:request_decode_time_seconds_sum"), within(1e-6));
    double cached = client.metric("vllm:prompt_tokens_cached_total");
    assertThat(client.metric("vllm:iteration_tokens_total_sum"))
        .isEqualTo(prompt - cached + generated);
    assertThat(client.metric("vllm:prefix_cache_queries_total")).isEqualTo(prompt);
    assertThat(client.metric("vllm:request_params_n_count")).isEqualTo(requests + 2);
    assertThat(client.metric("vllm:request_params_n_sum")).isEqualTo(requests + 4);
    assertThat(client.metric("vllm:request_success_total")).isEqualTo(choices);
    assertThat(client.get("/metrics").body())
        .contains(
            "http_requests_total{handler=\"/v1/chat/completions\",method=\"POST\",status=\"2xx\"} 6.0");
  }

  @Test
  void closingEndsRunningStreamsWithAbortAndTheEndMarker() throws IOException {
    try (Socket socket = client.open(CHAT, ENDLESS.formatted("true"))) {
      Client.readUntil(socket, "\"content\":\"");

      engine.close();

      assertThat(Client.readUntil(socket, "0\r\n\r\n"))
          .contains("\"finish_reason\":\"abort\"")
          .contains("data: [DONE]\n\n");
    }
    assertThatThrownBy(() -> client.get("/health")).isInstanceOf(Exception.class);
  }

  @Test
  void killingCutsEveryConnectionAtOnce() throws IOException {
    try (Socket socket = client.open(CHAT, ENDLESS.formatted("true"))) {
      Client.readUntil(socket, "\"content\":\"");

      engine.kill();

      assertThat(Client.readUntil(socket, "never")).doesNotContain("[DONE]");
    }
    assertThatThrownBy(() -> client.get("/health")).isInstanceOf(Exception.class);
  }

  @Test
  void aStalledStreamStaysOpenAndSendsNothingMore() {
    // Given
    var stalled =
        java.net.http.HttpClient.newHttpClient()
            .sendAsync(
                java.net.http.HttpRequest.newBuilder(client.uri(CHAT))
                    .header("content-type", "application/json")
                    .header("x-sim-fault", "stall-after=2")
                    .POST(
                        java.net.http.HttpRequest.BodyPublishers.ofString(
                            "{\"messages\":[{\"role\":\"user\",\"content\":\"Hi\"}],\"max_tokens\":9,\"stream\":true}"))
                    .build(),
                java.net.http.HttpResponse.BodyHandlers.ofString());

    // When
    await().until(() -> client.metric("vllm:request_success_total") == 1);

    // Then
    assertThat(stalled).isNotDone();
    stalled.cancel(true);
  }

  @Test
  void aClientThatReadsLateGetsEverythingInFewerFrames() throws IOException {
    try (Socket socket =
        client.open(
            CHAT,
            "{\"messages\":[{\"role\":\"user\",\"content\":\"Hi\"}],\"ignore_eos\":true,\"max_tokens\":300,\"stream\":true,\"stream_options\":{\"include_usage\":true}}")) {
      await().until(() -> client.metric("vllm:request_success_total") == 1);

      assertThat(Client.readUntil(socket, "0\r\n\r\n"))
          .contains("\"completion_tokens\":300")
          .endsWith("data: [DONE]\n\n\r\n0\r\n\r\n");
    }
  }

  @Test
  void pipelinedRequestsAreAnsweredInOrder() throws IOException {
    try (Socket socket = client.open("/tokenize", "{\"prompt\":\"a\"}")) {
      socket
          .getOutputStream()
          .write(
              "GET /version HTTP/1.1\r\nhost: x\r\n\r\nGET /nope HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n"
                  .getBytes());

      String answers = Client.readUntil(socket, "never");

      assertThat(answers.indexOf("\"count\":1")).isPositive();
      assertThat(answers.indexOf("\"version\"")).isGreaterThan(answers.indexOf("\"count\":1"));
      assertThat(answers.indexOf("Not Found\"}")).isGreaterThan(answers.indexOf("\"version\""));
    }
  }

  @Test
  void theErrorNamesAPortThatIsInUse() {
    assertThatThrownBy(
            () ->
                SimulatedEngine.start(
                    SimulatorConfig.of(GpuProfile.L4).withPort(engine.port()), TOKENIZER))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("127.0.0.1:" + engine.port());
  }
}
