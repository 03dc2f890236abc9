package io.sluice.simulator.endpoint;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.simulator.SimulatedEngine;
import io.sluice.simulator.SimulatorConfig;
import io.sluice.simulator.engine.timing.GpuProfile;
import java.io.IOException;
import java.net.http.HttpResponse;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** {@code repetition_detection}, as a real 0.32 was seen to do it. */
class RepetitionDetectionTest {

  private static final String COMPLETIONS = "/v1/completions";

  /** The model has only one token to choose from. */
  private static final String MONOTONOUS =
      "{\"prompt\":\"Hi\",\"max_tokens\":30,\"allowed_token_ids\":[300],\"ignore_eos\":true%s}";

  private static SimulatedEngine engine;
  private static Client client;

  @BeforeAll
  static void start() throws IOException {
    engine =
        SimulatedEngine.start(
            SimulatorConfig.of(GpuProfile.H100).withModels(List.of("m")).withSpeed(50));
    client = new Client(engine);
  }

  @AfterAll
  static void stop() {
    engine.close();
  }

  @Test
  void anAnswerThatRepeatsItselfEndsWhereItHasDoneSoOftenEnough() {
    // When
    String whole = answer(",\"repetition_detection\":{\"max_pattern_size\":2,\"min_count\":4}");
    String stream =
        answer(
            ",\"repetition_detection\":{\"max_pattern_size\":2,\"min_count\":4},\"stream\":true,\"stream_options\":{\"include_usage\":true},\"min_tokens\":6");
    String undetected = answer("");

    // Then
    assertThat(whole)
        .contains("\"completion_tokens\":4")
        .contains("\"finish_reason\":\"repetition\",\"stop_reason\":\"repetition_detected\"");
    assertThat(stream)
        .contains("\"completion_tokens\":6")
        .contains("\"finish_reason\":\"repetition\",\"stop_reason\":\"repetition_detected\"");
    assertThat(undetected)
        .contains("\"completion_tokens\":30")
        .contains("\"finish_reason\":\"length\",\"stop_reason\":null");
    assertThat(client.get("/metrics").body())
        .contains("finished_reason=\"repetition\",model_name=\"m\"} 2.0");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "5 | Input should be a dictionary or an instance of RepetitionDetectionParams', 'input': '5', 'ctx': {'class_name': 'RepetitionDetectionParams'}",
        "[] | 'input': '<list of 0 items>'",
        "{\"max_pattern_size\":\"x\"} | 'loc': 'body.repetition_detection.max_pattern_size'",
        "{\"max_pattern_size\":-1} | max_pattern_size, min_pattern_size must be >=0",
        "{\"max_pattern_size\":1,\"min_pattern_size\":3,\"min_count\":4} | with min_pattern_size <= max_pattern_size",
        "{\"max_pattern_size\":2,\"min_count\":1} | min_count must be >= 2 to detect repetitive patterns"
      })
  void parametersThatMakeNoSenseAreRefusedInTheWordsOfVllm(String value, String words) {
    HttpResponse<String> refused =
        client.post(COMPLETIONS, MONOTONOUS.formatted(",\"repetition_detection\":" + value));

    assertThat(refused.statusCode()).isEqualTo(400);
    assertThat(refused.body()).contains(words);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {"null", "{}", "{\"other\":1}", "{\"min_count\":9}"})
  void withoutAPatternSizeNothingIsDetected(String value) {
    assertThat(answer(",\"repetition_detection\":" + value))
        .contains("\"finish_reason\":\"length\"");
  }

  private static String answer(String fields) {
    return client.post(COMPLETIONS, MONOTONOUS.formatted(fields)).body();
  }
}
