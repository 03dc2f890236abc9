package io.sluice.worker.engine.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.sluice.simulator.ServerOptions;
import io.sluice.simulator.SimulatedEngine;
import io.sluice.simulator.SimulatorConfig;
import io.sluice.simulator.engine.timing.GpuProfile;
import io.sluice.worker.engine.EngineEvent;
import io.sluice.worker.engine.EngineRequest;
import io.sluice.worker.engine.EngineStream;
import io.sluice.worker.engine.Silence;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Tag("slow")
@Timeout(60)
class SimulatedEngineTest {

  @Test
  void aChatIsStreamedToItsLastTokenWithUsage() throws Exception {
    try (SimulatedEngine engine = SimulatedEngine.start(SimulatorConfig.of(GpuProfile.H100));
        var http = new EngineHttp(engine.uri(), EngineHttp.patient());
        EngineStream stream = http.client().open(request(20))) {
      // When
      int tokens = 0;
      EngineEvent event = stream.next(Duration.ofSeconds(10)).orElseThrow();
      while (!(event instanceof EngineEvent.Finish)) {
        if (event instanceof EngineEvent.Tokens frame) {
          tokens = frame.completionTokens();
        }
        event = stream.next(Duration.ofSeconds(10)).orElseThrow();
      }

      // Then
      assertThat(tokens).isEqualTo(20);
      assertThat(((EngineEvent.Finish) event).usage().orElseThrow().completionTokens())
          .isEqualTo(20);
    }
  }

  @Test
  void aRepeatedPromptIsToldToBeCached() throws Exception {
    SimulatorConfig config =
        SimulatorConfig.of(GpuProfile.H100)
            .withServer(ServerOptions.with(options -> options.promptTokensDetails = true));
    try (SimulatedEngine engine = SimulatedEngine.start(config);
        var http = new EngineHttp(engine.uri(), EngineHttp.patient())) {
      assertThat(cachedTokens(http)).isLessThan(16);
      assertThat(cachedTokens(http)).isGreaterThan(64);
    }
  }

  @Test
  void aCancelledChatStopsInTheEngine() throws Exception {
    try (SimulatedEngine engine = SimulatedEngine.start(SimulatorConfig.of(GpuProfile.H100));
        var http = new EngineHttp(engine.uri(), EngineHttp.patient())) {
      EngineStream stream = http.client().open(request(10_000));
      while (!(stream.next(Duration.ofSeconds(10)).orElseThrow() instanceof EngineEvent.Tokens)) {
        // The head comes first.
      }

      // When
      stream.cancel();

      // Then
      await()
          .atMost(Duration.ofSeconds(2))
          .until(
              () ->
                  new String(
                          http.client().get("/metrics", Duration.ofSeconds(2)).body(),
                          StandardCharsets.UTF_8)
                      .lines()
                      .anyMatch(
                          line ->
                              line.startsWith("vllm:num_requests_running")
                                  && line.endsWith(" 0.0")));
    }
  }

  private static int cachedTokens(EngineHttp http) throws Exception {
    try (EngineStream stream = http.client().open(request("All the words. ".repeat(100), 2))) {
      EngineEvent event = stream.next(Duration.ofSeconds(10)).orElseThrow();
      while (!(event instanceof EngineEvent.Finish)) {
        event = stream.next(Duration.ofSeconds(10)).orElseThrow();
      }
      return ((EngineEvent.Finish) event).usage().orElseThrow().cachedTokens().orElse(0);
    }
  }

  private static EngineRequest request(int tokens) {
    return request("Tell me a story.", tokens);
  }

  private static EngineRequest request(String question, int tokens) {
    String body =
        """
        {"messages":[{"role":"user","content":"%s"}],"max_tokens":%d,
         "ignore_eos":true,"stream":true,
         "stream_options":{"include_usage":true,"continuous_usage_stats":true}}
        """
            .formatted(question, tokens);
    return new EngineRequest(
        "/v1/chat/completions",
        body.getBytes(StandardCharsets.UTF_8),
        true,
        Silence.NONE,
        Map.of());
  }
}
