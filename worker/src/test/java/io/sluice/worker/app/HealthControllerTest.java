package io.sluice.worker.app;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.sluice.common.dependency.Dependency;
import io.sluice.common.dependency.DependencyWatch;
import io.sluice.common.protocol.Json;
import io.sluice.common.protocol.LeaseRef;
import io.sluice.common.protocol.Outcome;
import io.sluice.fleet.breaker.BreakerPhase;
import io.sluice.worker.config.WorkerConfig;
import io.sluice.worker.generation.EngineTally;
import io.sluice.worker.gpu.GpuWatch;
import io.sluice.worker.health.EngineMonitor;
import io.sluice.worker.health.EngineWatch;
import io.sluice.worker.intake.Admission;
import io.sluice.worker.intake.Drain;
import io.sluice.worker.intake.RunningGenerations;
import io.sluice.worker.limit.AdaptiveLimit;
import io.sluice.worker.limit.HeatLimit;
import io.sluice.worker.limit.Ramp;
import io.sluice.worker.notice.NoticeWatch;
import io.sluice.worker.testing.ManualTime;
import io.sluice.worker.testing.ScriptedEngine;
import io.sluice.worker.warmup.EngineEntry;
import io.sluice.worker.warmup.WarmUp;
import io.sluice.worker.warmup.WarmUpPrompts;
import io.sluice.worker.watchdog.Diagnosis;
import io.sluice.worker.watchdog.Permit;
import io.sluice.worker.watchdog.Watchdog;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;

class HealthControllerTest {

  private static final class Unavailable implements Permit {
    @Override
    public boolean hold() {
      return false;
    }

    @Override
    public void release() {}
  }

  private final ManualTime time = new ManualTime();
  private final ScriptedEngine engine = new ScriptedEngine(time);
  private final WorkerConfig config = WorkerConfig.of(Map.of("id", "w"));
  private final EngineMonitor monitor = new EngineMonitor(engine, config.engine(), time);
  private final AtomicBoolean draining = new AtomicBoolean();
  private BreakerPhase breaker = BreakerPhase.CLOSED;
  private final Admission admission =
      new Admission(() -> 8, draining::get, () -> monitor.state().up(), () -> breaker);
  private final RunningGenerations running = new RunningGenerations();
  private final Watchdog watchdog =
      Watchdog.of(
          config,
          monitor,
          new Diagnosis(config.watchdog().window()),
          new Unavailable(),
          new Drain(running, Duration.ZERO, Duration.ZERO),
          new EngineEntry(
              monitor,
              new WarmUp(engine, WarmUpPrompts.of(Optional.empty()), config.warmUp()),
              config.warmUp(),
              new Ramp(() -> 8, Duration.ZERO, time)),
          time);
  private final DependencyWatch dependencies =
      new DependencyWatch("w", List.of(new Dependency("engine", "", "", "", monitor::answer, 1)));
  private final NoticeWatch notices =
      NoticeWatch.of(config.notice(), new Drain(running, Duration.ZERO, Duration.ZERO), time);
  private final GpuWatch gpuWatch =
      GpuWatch.of(config.gpu(), new HeatLimit(() -> 8), readings -> {});
  private final HealthController controller =
      new HealthController(monitor, admission, watchdog, gpuWatch, notices);

  @Test
  void aWorkerWithoutItsEngineIsDegradedThoughItsBreakerWasNeverOpened() throws Exception {
    assertThat(controller.healthz().code()).isEqualTo(503);
    JsonNode json = Json.tree(controller.healthz().body());
    assertThat(json.path("status").asText()).isEqualTo("degraded");
    assertThat(json.path("engine_up").asBoolean(true)).isFalse();
    assertThat(json.path("circuit_breaker_open").asBoolean(true)).isFalse();
    assertThat(json.path("gpu_cache_usage_percent").isNull()).isTrue();
  }

  @Test
  void aFitWorkerSaysHowFullItsCacheIsAndWhenItLooked() throws Exception {
    engineUp();

    JsonNode json = Json.tree(controller.healthz().body());

    assertThat(controller.healthz().code()).isEqualTo(200);
    assertThat(json.path("status").asText()).isEqualTo("healthy");
    assertThat(json.path("gpu_cache_usage_percent").asDouble()).isEqualTo(25);
    assertThat(json.path("gpu_temperature").asText()).isEqualTo("off");
    assertThat(json.path("last_check").asText()).isEqualTo(time.instant().toString());
  }

  @Test
  void aWorkerWhoseBreakerIsOpenIsDegraded() throws Exception {
    engineUp();
    breaker = BreakerPhase.OPEN;

    assertThat(controller.healthz().code()).isEqualTo(503);
    JsonNode json = Json.tree(controller.healthz().body());
    assertThat(json.path("circuit_breaker_open").asBoolean()).isTrue();
  }

  @Test
  void aDrainingWorkerIsDegraded() throws Exception {
    engineUp();
    draining.set(true);

    assertThat(controller.healthz().code()).isEqualTo(503);
  }

  @Test
  void metersCountOutcomesTokensAndTheTimeToTheFirst() throws Exception {
    engineUp();
    var registry = new SimpleMeterRegistry();
    var watch =
        new EngineWatch(
            monitor, running, new EngineTally(), AdaptiveLimit.upTo(8), time, any -> {});
    var meters =
        new WorkerMeters(
            registry, config, monitor, watch, running, admission, dependencies, watchdog, notices);

    meters.firstToken(Duration.ofMillis(40), Optional.empty());
    meters.tokens(5);
    meters.outcome(new Outcome(new LeaseRef("r", 1, "lease", "w", "i"), new Outcome.Expired()));

    assertThat(registry.get("sluice.worker.ttft").timer().count()).isEqualTo(1);
    assertThat(registry.get("sluice.worker.tokens").counter().count()).isEqualTo(5);
    assertThat(registry.get("sluice.worker.outcomes").tag("type", "expired").counter().count())
        .isEqualTo(1);
    assertThat(registry.get("sluice.worker.dependency.up").gauge().value()).isZero();
    assertThat(registry.get("sluice.worker.kv.usage").gauge().value()).isEqualTo(0.25);
    assertThat(registry.get("sluice.worker.breaker").gauge().value()).isZero();
    assertThat(registry.get("sluice.worker.slots").gauge().value()).isEqualTo(8);
    assertThat(registry.get("sluice.worker.prefill.rate").gauge().value()).isZero();
    assertThat(registry.get("sluice.worker.prefill.backlog").gauge().value()).isZero();
    assertThat(registry.get("sluice.worker.inter.token.seconds").gauge().value()).isZero();
  }

  @Test
  void metersTellWhatTheEngineHasCounted() throws Exception {
    var registry = new SimpleMeterRegistry();
    var watch =
        new EngineWatch(
            monitor, running, new EngineTally(), AdaptiveLimit.upTo(8), time, any -> {});
    var _ =
        new WorkerMeters(
            registry, config, monitor, watch, running, admission, dependencies, watchdog, notices);
    assertThat(count(registry, "sluice.worker.engine.preemptions")).isZero();

    engineUp(
        """
        vllm:prompt_tokens_total 500
        vllm:prompt_tokens_cached_total 200
        vllm:num_preemptions_total 3
        vllm:spec_decode_num_draft_tokens_total 40
        vllm:spec_decode_num_accepted_tokens_total 30
        """);

    assertThat(count(registry, "sluice.worker.engine.prefill.tokens")).isEqualTo(300);
    assertThat(count(registry, "sluice.worker.engine.cached.tokens")).isEqualTo(200);
    assertThat(count(registry, "sluice.worker.engine.preemptions")).isEqualTo(3);
    assertThat(count(registry, "sluice.worker.engine.draft.tokens")).isEqualTo(40);
    assertThat(count(registry, "sluice.worker.engine.accepted.tokens")).isEqualTo(30);
  }

  private static double count(SimpleMeterRegistry registry, String name) {
    return registry.get(name).functionCounter().count();
  }

  private void engineUp() throws InterruptedException {
    engineUp("vllm:kv_cache_usage_perc 0.25\n");
  }

  private void engineUp(String metrics) throws InterruptedException {
    engine
        .answers("/health", 200, "")
        .answers("/metrics", 200, metrics)
        .answers("/v1/models", 200, "{\"data\":[{\"id\":\"m\"}]}");
    monitor.probe();
  }
}
