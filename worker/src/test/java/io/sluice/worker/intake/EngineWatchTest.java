package io.sluice.worker.intake;

import static io.sluice.worker.testing.ScriptedEngine.done;
import static io.sluice.worker.testing.ScriptedEngine.pass;
import static io.sluice.worker.testing.ScriptedEngine.silence;
import static io.sluice.worker.testing.ScriptedEngine.stop;
import static io.sluice.worker.testing.ScriptedEngine.text;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.sluice.common.protocol.FailureCode;
import io.sluice.common.protocol.Outcome;
import io.sluice.common.protocol.Outcome.ReturnReason;
import io.sluice.common.reply.ReplyKind;
import io.sluice.worker.config.WorkerConfig;
import io.sluice.worker.engine.EngineEvent;
import io.sluice.worker.evict.RunningRequest;
import io.sluice.worker.generation.StopReason;
import io.sluice.worker.health.EngineMonitor;
import io.sluice.worker.health.EngineWatch;
import io.sluice.worker.limit.AdaptiveLimit;
import io.sluice.worker.testing.ScriptedEngine;
import io.sluice.worker.testing.Surroundings;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(20)
class EngineWatchTest {
  private static final String BODY =
      "{\"model\":\"m\",\"messages\":[{\"role\":\"user\",\"content\":\"tell me\"}],\"stream\":true}";
  private static final Duration SOON = Duration.ofSeconds(5);

  private final Surroundings around = new Surroundings();
  private final RunningGenerations running = new RunningGenerations();
  private final WorkerConfig config = WorkerConfig.of(Map.of("id", "w"));
  private final EngineMonitor monitor =
      new EngineMonitor(around.engine, config.engine(), around.time);
  private final AdaptiveLimit limit = AdaptiveLimit.upTo(64);
  private final EngineWatch watch =
      new EngineWatch(monitor, running, around.tally, limit, around.time, any -> {});

  @AfterEach
  void stopAll() throws InterruptedException {
    running.stop(any -> true, StopReason.ABANDONED);
    assertThat(running.awaitNone(SOON)).isTrue();
  }

  @Test
  void requestsThatAnAbsentEngineHasNotBegunAreReturnedAtOnce() throws Exception {
    // Given
    engineUp("");
    watch.probe();
    around.engine.plays(silence());
    running.start(around.generation(1, "a", BODY));
    around.engine.awaitSilence();
    assertThat(watch.pace().waitingPromptTokens()).isEqualTo(BODY.length() / 4);

    // When
    around.engine.tooBusyToAnswer();
    watch.probe();
    watch.probe();

    // Then
    assertThat(running.awaitNone(SOON)).isTrue();
    assertThat(around.log.lastEvent())
        .isEqualTo(new Outcome.Returned(ReturnReason.BREAKER_OPEN, 0));
  }

  @Test
  void aPictureDoesNotCountForThePromptThatWaits() throws Exception {
    // Given
    engineUp("");
    watch.probe();
    around.engine.plays(silence());
    String picture =
        "[{\"type\":\"image_url\",\"image_url\":{\"url\":\"%s\"}}]".formatted("A".repeat(4_000));

    // When
    running.start(around.generation(1, "a", BODY.replace("\"tell me\"", picture)));
    around.engine.awaitSilence();

    // Then
    assertThat(watch.pace().waitingPromptTokens()).isLessThan(50);
    assertThat(running.contextTokens()).isEqualTo(watch.pace().waitingPromptTokens());
  }

  @Test
  void requestsThatADeadEngineHadMayBeTheCause() throws Exception {
    // Given
    engineUp("");
    watch.probe();
    around.engine.plays(new ScriptedEngine.Step.Event(new EngineEvent.Head()), silence());
    running.start(around.generation(1, "a", BODY));
    around.engine.awaitSilence();

    // When
    around.engine.answers("/health", 503, "");
    watch.probe();

    // Then
    assertThat(running.awaitNone(SOON)).isTrue();
    assertThat(around.log.lastEvent())
        .isInstanceOfSatisfying(
            Outcome.Failed.class,
            failed -> assertThat(failed.code()).isEqualTo(FailureCode.ENGINE_GONE));
  }

  @Test
  void startedRequestsStayAndNoLongerWait() throws Exception {
    // Given
    engineUp("");
    watch.probe();
    around.engine.plays(text("a", 1), silence());
    running.start(around.generation(1, "a", BODY));
    around.engine.awaitSilence();

    // When
    around.engine.answers("/health", 503, "");
    watch.probe();

    // Then
    assertThat(running.count()).isEqualTo(1);
    assertThat(watch.pace().waitingPromptTokens()).isZero();
  }

  @Test
  void anAnswerStreamsWellOnceItHasHadTokensForASecondUntilTheyStop() throws Exception {
    // Given
    engineUp("");
    watch.probe();
    around.engine.plays(text("a", 1), pass(Duration.ofSeconds(1)), text("b", 2), silence());
    running.start(around.generation(1, "a", BODY));
    around.engine.awaitSilence();
    assertThat(watch.streaming()).containsExactly("a");

    // When
    around.time.advance(Duration.ofMillis(1_001));

    // Then
    assertThat(watch.streaming()).isEmpty();
  }

  @Test
  void anAnswerThatHasJustBegunDoesNotStreamWellYet() throws Exception {
    engineUp("");
    watch.probe();
    around.engine.plays(text("a", 1), pass(Duration.ofMillis(999)), text("b", 2), silence());

    running.start(around.generation(1, "a", BODY));
    around.engine.awaitSilence();

    assertThat(watch.streaming()).isEmpty();
  }

  @Test
  void requestsThatItLeavesHangingAreReturnedWithTheirTokens() throws Exception {
    // Given
    engineUp("");
    watch.probe();
    around.engine.plays(text("a", 1), silence());
    running.start(around.generation(1, "a", BODY));
    around.engine.awaitSilence();

    // When
    around.engine.tooBusyToAnswer();
    around.time.advance(Duration.ofMillis(1_100));
    watch.probe();
    watch.probe();

    // Then
    assertThat(running.awaitNone(SOON)).isTrue();
    assertThat(around.log.lastEvent())
        .isEqualTo(new Outcome.Returned(ReturnReason.BREAKER_OPEN, 1));
  }

  @Test
  void bulkIsHandedBackWithItsTokensWhenMemoryIsShort() throws Exception {
    // Given
    engineUp("");
    watch.probe();
    around.engine.plays(text("a", 1), text("b", 2), silence());
    running.start(around.generation(around.bulk("a", 0), BODY));
    around.engine.awaitSilence();

    // When
    engineUp("vllm:kv_cache_usage_perc 0.81\n");
    watch.probe();

    // Then
    assertThat(running.awaitNone(SOON)).isTrue();
    assertThat(around.log.lastEvent()).isEqualTo(new Outcome.Returned(ReturnReason.EVICTED, 2));
    assertThat(around.log.records())
        .extracting(record -> record.headers().kind())
        .containsOnly(ReplyKind.TOKENS);
  }

  @Test
  void interactiveRequestsStayWhenMemoryIsShort() throws Exception {
    // Given
    engineUp("");
    watch.probe();
    around.engine.plays(text("a", 1), silence());
    running.start(around.generation(1, "a", BODY));
    around.engine.awaitSilence();

    // When
    engineUp("vllm:kv_cache_usage_perc 0.81\n");
    watch.probe();

    // Then
    assertThat(running.runningRequests()).hasSize(1).noneMatch(RunningRequest::isBulk);
  }

  @Test
  void bulkWhoseTimeRunsOutStaysWhenMemoryIsShort() throws Exception {
    // Given
    engineUp("");
    watch.probe();
    around.engine.plays(text("a", 1), silence());
    running.start(around.generation(around.bulk("a", 0), BODY));
    around.engine.awaitSilence();
    around.time.advance(Duration.ofHours(22));

    // When
    engineUp("vllm:kv_cache_usage_perc 0.81\n");
    watch.probe();

    // Then
    assertThat(running.runningRequests()).hasSize(1).noneMatch(RunningRequest::isBulk);
  }

  @Test
  void thePaceIsThatOfTheEnginesCounts() throws Exception {
    // Given
    String started = "process_start_time_seconds 1.79e9\n";
    engineUp(started + counts(1_000, 1, 0.5, 100, 2.0));
    watch.probe();
    around.time.advance(Duration.ofSeconds(1));

    // When
    engineUp(started + counts(9_000, 3, 1.34, 200, 4.0));
    watch.probe();

    // Then
    assertThat(watch.pace().stepMillis()).isCloseTo(20, within(1e-9));
    assertThat(watch.pace().prefillTokensPerSecond()).isCloseTo(10_000, within(1.0));

    // When another engine takes its place
    around.time.advance(Duration.ofSeconds(1));
    engineUp("process_start_time_seconds 1.790001e9\n" + counts(0, 0, 0, 0, 0));
    watch.probe();

    // Then
    assertThat(watch.pace().stepMillis()).isZero();
    assertThat(watch.pace().prefillTokensPerSecond()).isZero();
  }

  @Test
  void anEngineWithoutMetricsIsMeasuredByWhatItAnswers() throws Exception {
    // Given
    engineUp("");
    watch.probe();
    Duration step = Duration.ofMillis(15);
    around.engine.plays(
        pass(Duration.ofMillis(200)),
        text("a", 1),
        pass(step),
        text("b", 2),
        pass(step),
        stop("stop", 3),
        done(10, 3));
    running.start(around.generation(1, "a", BODY));
    assertThat(running.awaitNone(SOON)).isTrue();

    // When
    watch.probe();

    // Then
    assertThat(watch.pace().stepMillis()).isCloseTo(15, within(1e-6));
    assertThat(around.tally.firstTokenSeconds()).isCloseTo(0.2, within(1e-6));
    assertThat(around.tally.promptTokens()).isEqualTo(10);
  }

  private void engineUp(String metrics) {
    around
        .engine
        .answers("/health", 200, "")
        .answers("/metrics", metrics.isEmpty() ? 404 : 200, metrics)
        .answers("/v1/models", 200, "{\"data\":[{\"id\":\"m\"}]}");
  }

  private static String counts(
      double prompt, double first, double firstSeconds, double inter, double interSeconds) {
    return """
    vllm:prompt_tokens_total %s
    vllm:time_to_first_token_seconds_count %s
    vllm:time_to_first_token_seconds_sum %s
    vllm:inter_token_latency_seconds_count %s
    vllm:inter_token_latency_seconds_sum %s
    """
        .formatted(prompt, first, firstSeconds, inter, interSeconds);
  }
}
