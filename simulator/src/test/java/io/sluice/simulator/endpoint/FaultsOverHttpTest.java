package io.sluice.simulator.endpoint;

import static io.sluice.simulator.Patience.await;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import io.sluice.simulator.SimulatedEngine;
import io.sluice.simulator.SimulatorConfig;
import io.sluice.simulator.engine.timing.GpuProfile;
import io.sluice.simulator.fault.Fault;
import io.sluice.simulator.text.Tokenizer;
import java.io.IOException;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Every fault from a client's view. */
@Tag("slow")
class FaultsOverHttpTest {

  private static final Tokenizer TOKENIZER = new Tokenizer();
  private static final String CHAT = "/v1/chat/completions";
  private static final String STREAM =
      "{\"messages\":[{\"role\":\"user\",\"content\":\"Hi\"}],\"ignore_eos\":true,\"max_tokens\":10,\"stream\":true}";
  private static final String WHOLE = STREAM.replace(",\"stream\":true", "");

  private SimulatedEngine engine;
  private Client client;

  @BeforeEach
  void start() throws IOException {
    engine =
        SimulatedEngine.start(
            SimulatorConfig.of(GpuProfile.H100)
                .withModels(List.of("m"))
                .withMaxModelLen(1024)
                .withKvBlocks(200)
                .withSpeed(20)
                .withAdminPort(0),
            TOKENIZER);
    client = new Client(engine);
  }

  @AfterEach
  void stop() {
    engine.kill();
  }

  @Test
  void aStatusCanCarryRetryAfter() {
    HttpResponse<String> plain = withFault(STREAM, "status=429");
    HttpResponse<String> later = withFault(STREAM, "status=503;retry-after=7");

    assertThat(plain.statusCode()).isEqualTo(429);
    assertThat(plain.headers().firstValue("retry-after")).isEmpty();
    assertThat(later.statusCode()).isEqualTo(503);
    assertThat(later.headers().firstValue("retry-after")).contains("7");
  }

  @Test
  void aResetConnectionHasNoAnswer() {
    assertThatThrownBy(() -> withFault(WHOLE, "reset")).hasCauseInstanceOf(IOException.class);
  }

  @Test
  void aHangBeforeTheHeadSendsNothing() throws IOException {
    engine.faults().add(Fault.parse("hang-before-head"));
    try (Socket socket = client.open(CHAT, STREAM)) {
      socket.setSoTimeout(200);
      assertThatThrownBy(() -> socket.getInputStream().read())
          .isInstanceOf(java.net.SocketTimeoutException.class);
    }
  }

  @Test
  void aHangBeforeTheFirstTokenSendsTheHeadOnly() throws IOException {
    engine.faults().add(Fault.parse("hang-before-first-token"));
    try (Socket socket = client.open(CHAT, STREAM)) {
      assertThat(Client.readUntil(socket, "\r\n\r\n"))
          .startsWith("HTTP/1.1 200")
          .endsWith("\r\n\r\n");
      socket.setSoTimeout(200);
      assertThatThrownBy(() -> socket.getInputStream().read())
          .isInstanceOf(java.net.SocketTimeoutException.class);
    }
  }

  @Test
  void aCutInsideAFrameLeavesHalfOfIt() throws IOException {
    engine.faults().add(Fault.parse("cut-in-frame-after=3"));
    try (Socket socket = client.open(CHAT, STREAM)) {
      String read = Client.readUntil(socket, "never");

      // Tokens may share a frame if the client is slow.
      assertThat(read.split("data: ")).hasSizeBetween(1 + 1 + 1 + 1, 1 + 1 + 3 + 1);
      assertThat(read).doesNotContain("[DONE]");
      assertThat(read.substring(read.lastIndexOf("data: "))).doesNotContain("\n\n");
    }
    try (Socket socket = client.open(CHAT, WHOLE)) {
      assertThat(Client.readUntil(socket, "never"))
          .contains("content-length: ")
          .doesNotContain("kv_transfer_params");
    }
  }

  @Test
  void aStreamCanEndWithoutItsMarker() {
    String stream = withFault(STREAM, "no-done").body();

    assertThat(stream).contains("\"finish_reason\":\"length\"").doesNotContain("[DONE]");
  }

  @Test
  void oneFrameCanBeGarbledWhileTheStreamGoesOn() {
    List<String> frames = Client.frames(withFault(STREAM, "garble-after=2").body());

    assertThat(frames).hasSizeBetween(3, 1 + 10);
    assertThat(frames.stream().filter(frame -> !frame.endsWith("}"))).hasSize(1);
    assertThat(withFault(WHOLE, "garble-after=2").body()).doesNotEndWith("}");
  }

  @Test
  void aSlowAnswerIsCompleteButLate() {
    String fast = client.post(CHAT, STREAM).body();
    String slow = withFault(STREAM, "slow=3").body();

    assertThat(Client.text(Client.frames(slow), 0)).isEqualTo(Client.text(Client.frames(fast), 0));
  }

  @Test
  void metricsCanBeStaleOrAbsent() {
    assertThat(admin("POST", "/faults", "{\"faults\":[\"metrics-stale\"]}").statusCode())
        .isEqualTo(200);
    double before = client.metric("vllm:generation_tokens_total");
    client.post(CHAT, WHOLE);
    assertThat(client.metric("vllm:generation_tokens_total")).isEqualTo(before);

    admin("PUT", "/faults", "{\"faults\":[\"metrics-absent\"]}");
    assertThat(client.get("/metrics").statusCode()).isEqualTo(404);

    admin("PUT", "/faults", "{\"faults\":[\"metrics-slow=50\"]}");
    assertThat(client.get("/metrics").statusCode()).isEqualTo(200);

    assertThat(admin("DELETE", "/faults", "").body()).isEqualTo("{\"faults\":[]}");
    assertThat(client.metric("vllm:generation_tokens_total")).isEqualTo(before + 10);
  }

  @Test
  void connectionsCanBeRefusedAndAcceptedAgain() {
    admin("POST", "/faults", "{\"faults\":[\"refuse-connections\"]}");
    assertThatThrownBy(() -> new Socket("127.0.0.1", engine.port()).close())
        .isInstanceOf(java.net.ConnectException.class);

    admin("DELETE", "/faults", "");

    assertThat(client.get("/health").statusCode()).isEqualTo(200);
  }

  @Test
  void aLeakTakesBlocksUntilMemoryIsExhaustedAndARestartRecoversThem() {
    double created = client.metric("vllm:prompt_tokens_created");
    engine.faults().add(Fault.parse("leak=60"));
    await()
        .until(
            () ->
                Client.parse(admin("GET", "/state", "").body()).path("lost_kv_blocks").asInt() > 5);
    assertThat(client.metric("vllm:kv_cache_usage_perc")).isNotNegative();

    engine.faults().set(List.of());
    admin("POST", "/restart", "{\"boot_seconds\":0.1}");

    await().ignoreExceptions().until(() -> client.metric("vllm:prompt_tokens_created") > created);
    JsonNode state = Client.parse(admin("GET", "/state", "").body());
    assertThat(state.path("state").asText()).isEqualTo("serving");
    assertThat(state.path("lost_kv_blocks").asInt()).isZero();
  }

  @Test
  void aLeakThatExhaustsMemoryEndsTheProcess() {
    engine.faults().add(Fault.parse("leak=60000"));

    assertThat(engine.ended().join()).isEqualTo(SimulatedEngine.End.OUT_OF_MEMORY);
  }

  @Test
  void runningOutOfMemoryCutsAllStreamsAndTheBootTakesItsTime() throws IOException {
    // Keeps the stream from ending on its own.
    engine.faults().add(Fault.parse("engine-slow=100"));
    try (Socket socket = client.open(CHAT, STREAM.replace("10", "900"))) {
      Client.readUntil(socket, "\"content\":\"");

      admin("POST", "/oom", "{\"boot_seconds\":0.3}");

      assertThat(Client.readUntil(socket, "never")).doesNotContain("[DONE]");
    }
    engine.faults().set(List.of());
    await().ignoreExceptions().until(() -> client.get("/health").statusCode() == 200);
    assertThat(client.post(CHAT, WHOLE).statusCode()).isEqualTo(200);
  }

  @Test
  void theGpuHasATemperatureThatCanBeFixed() {
    assertThat(admin("GET", "/metrics", "").body())
        .contains("DCGM_FI_DEV_GPU_TEMP{gpu=\"0\",device=\"nvidia0\",modelName=\"h100\"} 38");

    admin("POST", "/faults", "{\"faults\":[\"gpu-temperature=95\"]}");

    assertThat(admin("GET", "/metrics", "").body()).contains("modelName=\"h100\"} 95");
  }

  @Test
  void aShareOfTheRequestsCanFail() {
    engine.faults().add(Fault.parse("status=500@0.5"));

    List<Integer> statuses =
        java.util.stream.IntStream.range(0, 40)
            .mapToObj(i -> client.post(CHAT, WHOLE).statusCode())
            .toList();

    assertThat(statuses).contains(200, 500);
  }

  @Test
  void theAdminPortReportsWhatItDoesNotUnderstand() {
    assertThat(admin("POST", "/faults", "{\"faults\":[\"explode\"]}").body())
        .contains("Unknown fault 'explode'");
    assertThat(admin("POST", "/faults", "{oops").statusCode()).isEqualTo(400);
    assertThat(admin("POST", "/restart", "{\"boot_seconds\":\"soon\"}").statusCode())
        .isEqualTo(400);
    assertThat(admin("GET", "/nowhere", "").statusCode()).isEqualTo(404);
  }

  private HttpResponse<String> withFault(String body, String fault) {
    return client.post(CHAT, body, Fault.HEADER, fault);
  }

  private HttpResponse<String> admin(String method, String path, String body) {
    URI uri = URI.create("http://127.0.0.1:" + engine.adminPort().getAsInt() + path);
    return client.send(
        HttpRequest.newBuilder(uri).method(method, HttpRequest.BodyPublishers.ofString(body)));
  }
}
