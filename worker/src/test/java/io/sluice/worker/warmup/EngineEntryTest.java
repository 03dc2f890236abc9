package io.sluice.worker.warmup;

import static io.sluice.worker.testing.ScriptedEngine.done;
import static io.sluice.worker.testing.ScriptedEngine.text;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.sluice.worker.config.WarmUpSettings;
import io.sluice.worker.config.WorkerConfig;
import io.sluice.worker.health.EngineMonitor;
import io.sluice.worker.limit.Ramp;
import io.sluice.worker.testing.ManualTime;
import io.sluice.worker.testing.ScriptedEngine;
import io.sluice.worker.testing.ScriptedEngine.Step;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(30)
class EngineEntryTest {
  private static final int SLOTS = 64;

  private final ManualTime time = new ManualTime();
  private final ScriptedEngine engine = new ScriptedEngine(time);
  private final EngineMonitor monitor =
      new EngineMonitor(engine, WorkerConfig.of(Map.of("id", "w")).engine(), time);
  private final Ramp ramp = new Ramp(() -> SLOTS, Duration.ofSeconds(10), time);
  private final CountDownLatch mayAnswer = new CountDownLatch(1);
  private EngineEntry entry = entry(1);

  @AfterEach
  void stop() {
    entry.close();
  }

  @Test
  void aNewEngineIsWarmedUpBeforeItTakesRequestsAndThenRamps() throws Exception {
    engine.plays(new Step.Run(this::awaitLeave), text("a", 1), done(10, 1));

    answers(1, 0);

    assertThat(entry.isOpen()).isFalse();
    assertThat(entry.isWarmingUp()).isTrue();
    mayAnswer.countDown();
    await().until(entry::isOpen);
    assertThat(engine.requests()).hasSize(1);
    assertThat(ramp.limit()).isEqualTo(SLOTS / 8);
  }

  @Test
  void anEngineThatHasServedBeforeIsLetInAtOnce() throws Exception {
    answers(1, 5_000);

    assertThat(entry.isOpen()).isTrue();
    assertThat(engine.requests()).isEmpty();
    assertThat(ramp.limit()).isEqualTo(SLOTS);
  }

  @Test
  void anEngineThatTheWatchdogHasRestartedIsWarmedUpToo() throws Exception {
    answers(1, 5_000);
    engine.plays(text("a", 1), done(10, 1));

    entry.expectRestart();
    answers(2, 0);

    await().until(entry::isOpen);
    assertThat(engine.requests()).hasSize(1);
    assertThat(ramp.limit()).isEqualTo(SLOTS / 8);
  }

  /** Streams wait for it, perhaps at no other worker. */
  @Test
  void anEngineThatComesBackAfterACrashIsLetInAtOnce() throws Exception {
    answers(1, 5_000);

    answers(2, 0);

    assertThat(entry.isOpen()).isTrue();
    assertThat(engine.requests()).isEmpty();
    assertThat(ramp.limit()).isEqualTo(SLOTS);
  }

  @Test
  void anEngineWithoutMetricsIsLetInAtOnceWhenItsWorkerStarts() throws Exception {
    engine.answers("/health", 200, "");
    engine.answers("/metrics", 404, "");
    engine.answers("/v1/models", 200, "{\"data\":[{\"id\":\"m\"}]}");
    probe();

    assertThat(entry.isOpen()).isTrue();
    assertThat(engine.requests()).isEmpty();
  }

  @Test
  void withoutWarmUpANewEngineOnlyRamps() throws Exception {
    entry = entry(0);

    answers(1, 0);

    assertThat(entry.isOpen()).isTrue();
    assertThat(ramp.limit()).isEqualTo(SLOTS / 8);
  }

  @Test
  void aWarmUpThatHangsEndsWithItsTime() throws Exception {
    engine.plays(new Step.Silence());

    answers(1, 0);

    await().until(entry::isOpen);
    assertThat(ramp.limit()).isEqualTo(SLOTS / 8);
  }

  @Test
  void anEngineThatDiesInItsWarmUpIsNotOpen() throws Exception {
    engine.plays(new Step.Run(this::awaitLeave), text("a", 1), done(10, 1));
    answers(1, 0);

    engine.goes();
    probe();
    mayAnswer.countDown();

    assertThat(entry.isOpen()).isFalse();
    assertThat(entry.isWarmingUp()).isFalse();
  }

  private EngineEntry entry(int requests) {
    var settings =
        new WarmUpSettings(
            requests, Optional.empty(), Duration.ofSeconds(1), Duration.ofSeconds(10));
    var warmUp = new WarmUp(engine, WarmUpPrompts.of(Optional.empty()), settings);
    return new EngineEntry(monitor, warmUp, settings, ramp);
  }

  private void awaitLeave() {
    try {
      mayAnswer.await();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** A process that started at this time and has answered this number of requests. */
  private void answers(int startSeconds, int served) throws InterruptedException {
    engine.answers("/health", 200, "");
    engine.answers(
        "/metrics",
        200,
        "process_start_time_seconds %d%nvllm:time_to_first_token_seconds_count %d%n"
            .formatted(startSeconds, served));
    engine.answers(
        "/v1/models",
        200,
        "{\"data\":[{\"id\":\"m\",\"owned_by\":\"vllm\",\"max_model_len\":4096}]}");
    probe();
  }

  private void probe() throws InterruptedException {
    monitor.probe();
    entry.observe();
  }
}
