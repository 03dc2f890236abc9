package io.sluice.worker.app;

import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.Tag;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.sluice.common.protocol.Endpoint;
import io.sluice.worker.config.MetricNames;
import io.sluice.worker.generation.EngineRun;
import java.time.Duration;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

class GenAiMetersTest {
  private final SimpleMeterRegistry registry = new SimpleMeterRegistry();

  @Test
  void anAnswerHasADurationItsTokensAndTheTimesBetweenThem() {
    new GenAiMeters(registry).ran(run("m", Optional.empty()));

    assertThat(registry.get("gen_ai.server.request.duration").timer().totalTime(TimeUnit.SECONDS))
        .isEqualTo(2);
    assertThat(registry.get("gen_ai.server.time_to_first_token").timer().count()).isEqualTo(1);
    assertThat(registry.get("gen_ai.server.time_per_output_token").timer().count()).isEqualTo(1);
    assertThat(tokens("input")).isEqualTo(7);
    assertThat(tokens("output")).isEqualTo(20);
    assertThat(registry.get("gen_ai.server.request.duration").timer().getId().getTags())
        .containsExactlyInAnyOrder(
            Tag.of("gen_ai.operation.name", "chat"),
            Tag.of("gen_ai.provider.name", "vllm"),
            Tag.of("gen_ai.request.model", "m"),
            Tag.of("error.type", ""));
  }

  @Test
  void aFailureHasOnlyADuration() {
    new GenAiMeters(registry).ran(run("m", Optional.of("stall")));

    assertThat(names()).containsExactly("gen_ai.server.request.duration");
    assertThat(registry.get("gen_ai.server.request.duration").tag("error.type", "stall").timer())
        .isNotNull();
  }

  @Test
  void modelsAreBounded() {
    var meters = new GenAiMeters(registry);
    for (int i = 0; i < 1_000; i++) {
      meters.ran(run("adapter-" + i, Optional.empty()));
    }

    assertThat(registry.find("gen_ai.server.request.duration").timers())
        .hasSize(GenAiMeters.MOST_MODELS + 1);
  }

  @Test
  void theSettingChoosesBetweenTheNames() {
    assertThat(namesWith(MetricNames.SLUICE)).containsExactly("sluice.worker.ttft");
    assertThat(namesWith(MetricNames.GEN_AI))
        .contains("gen_ai.server.time_to_first_token")
        .doesNotContain("sluice.worker.ttft");
    assertThat(namesWith(MetricNames.BOTH))
        .contains("gen_ai.server.time_to_first_token", "sluice.worker.ttft");
  }

  private static Set<String> namesWith(MetricNames wanted) {
    var registry = new SimpleMeterRegistry();
    registry.config().meterFilter(GenAiNames.filter(wanted));
    registry.timer(GenAiNames.TTFT);
    new GenAiMeters(registry).ran(run("m", Optional.empty()));
    return names(registry);
  }

  private Set<String> names() {
    return names(registry);
  }

  private static Set<String> names(SimpleMeterRegistry registry) {
    return registry.getMeters().stream()
        .map(Meter::getId)
        .map(Meter.Id::getName)
        .filter(name -> !name.endsWith(".histogram"))
        .collect(Collectors.toSet());
  }

  private double tokens(String type) {
    return registry
        .get("gen_ai.client.token.usage")
        .tag("gen_ai.token.type", type)
        .summary()
        .totalAmount();
  }

  private static EngineRun run(String model, Optional<String> error) {
    return new EngineRun(
        Endpoint.CHAT_COMPLETIONS,
        model,
        "vllm",
        Duration.ofSeconds(2),
        Optional.of(Duration.ofMillis(100)),
        Optional.of(Duration.ofMillis(10)),
        7,
        20,
        error);
  }
}
