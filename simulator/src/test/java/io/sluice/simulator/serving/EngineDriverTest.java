package io.sluice.simulator.serving;

import static io.sluice.simulator.Patience.await;
import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.simulator.Patience;
import io.sluice.simulator.engine.EngineConfig;
import io.sluice.simulator.engine.FinishReason;
import io.sluice.simulator.engine.Scheduling;
import io.sluice.simulator.engine.timing.GpuProfile;
import io.sluice.simulator.engine.timing.Timing;
import io.sluice.simulator.metrics.ServerMetrics;
import io.sluice.simulator.text.TokenIds;
import io.sluice.simulator.text.Tokenizer;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("slow")
class EngineDriverTest {

  private static final Tokenizer TOKENIZER = new Tokenizer();
  private static final TokenIds PROMPT = TOKENIZER.encode("Tell me about rivers. ".repeat(20));

  private final ServerMetrics metrics = new ServerMetrics("m", config(), "0.30.0", () -> 1.7e9);
  private EngineDriver driver = new EngineDriver(config(), TOKENIZER, "m", metrics);

  @BeforeEach
  void start() {
    driver.start();
  }

  @AfterEach
  void stop() {
    driver.halt();
  }

  @Test
  void theSecondOfTwoEqualPromptsIsServedFromTheCacheWithTheSameOutput() {
    Answer first = ask(30);
    first.await();
    Answer second = ask(30);
    second.await();

    int cached = (PROMPT.size() - 1) / 16 * 16;
    assertThat(first.outputs.peek().cachedTokens()).isZero();
    assertThat(second.outputs.peek().cachedTokens()).isEqualTo(cached);
    assertThat(second.text()).isEqualTo(first.text());
    assertThat(metrics.text())
        .contains("vllm:prefix_cache_hits_total{engine=\"0\",model_name=\"m\"} " + cached + ".0\n");
  }

  @Test
  void aKeepPauseFreezesRunningRequestsAndLetsNewOnesWait() {
    // Given
    Answer running = ask(4000);
    running.awaitTokens(5);

    // When
    driver.pause(PauseMode.KEEP, false).join();
    int tokens = running.outputs.size();
    Answer late = ask(5);

    // Then
    assertThat(driver.isPaused()).isTrue();
    assertThat(driver.pendingWork().unfinished()).isEqualTo(2);
    driver.pause(PauseMode.KEEP, true).join();
    assertThat(running.outputs).hasSize(tokens);
    assertThat(late.outputs).isEmpty();
    driver.resume();
    late.await();
    running.awaitTokens(tokens + 5);
  }

  @Test
  void aWaitPauseLetsRunningRequestsFinishAndHoldsNewOnesBack() {
    // Given
    Answer running = ask(60);
    running.awaitTokens(1);

    // When
    CompletableFuture<Void> reached = driver.pause(PauseMode.WAIT, true);
    Answer late = ask(5);
    Answer cancelled = ask(5);
    cancelled.submission.cancel();
    reached.join();

    // Then
    assertThat(running.reason()).contains(FinishReason.LENGTH);
    assertThat(late.outputs).isEmpty();
    driver.resume();
    late.await();
    await().until(() -> driver.pendingWork().unfinished() == 0);
    assertThat(cancelled.outputs).isEmpty();
  }

  @Test
  void sleepAbortsDropsTheCacheAndShowsInTheMetricsUntilTheEngineWakes() {
    // Given
    Answer running = ask(4000);
    running.awaitTokens(3);

    // When
    driver.sleep(1, PauseMode.ABORT).join();

    // Then
    assertThat(running.reason()).contains(FinishReason.ABORT);
    assertThat(driver.isSleeping()).isTrue();
    assertThat(metrics.text()).contains("sleep_state=\"weights_offloaded\"} 1.0\n");
    driver.resume();
    assertThat(driver.isSleeping()).isFalse();
    Answer after = ask(3);
    after.await();
    assertThat(after.outputs.peek().cachedTokens()).isZero();
    assertThat(metrics.text()).contains("sleep_state=\"awake\"} 1.0\n");
  }

  @Test
  void aDrainingEngineFinishesItsRequestsAndAbortsNewOnes() {
    Answer running = ask(60);
    running.awaitTokens(1);

    CompletableFuture<Void> drained = driver.drain();
    Answer late = ask(5);
    drained.join();

    assertThat(running.reason()).contains(FinishReason.LENGTH);
    late.await();
    assertThat(late.reason()).contains(FinishReason.ABORT);
    assertThat(late.text()).isEmpty();
  }

  @Test
  void aDeadEngineEndsRunningAndNewRequestsWithAnError() {
    Answer running = ask(4000);
    running.awaitTokens(2);

    driver.die();
    Answer late = ask(5);
    late.await();

    assertThat(driver.isDead()).isTrue();
    assertThat(running.reason()).contains(FinishReason.ERROR);
    assertThat(late.reason()).contains(FinishReason.ERROR);
  }

  @Test
  void requestsWaitWhenALeakHasLeftNoRoomAndTheEngineStaysIdle() {
    // Given
    driver.leakBlocks(Integer.MAX_VALUE);

    // When
    Answer answer = ask(5);

    // Then
    await()
        .until(
            () ->
                metrics
                    .text()
                    .contains("vllm:num_requests_waiting{engine=\"0\",model_name=\"m\"} 1.0\n"));
    assertThat(metrics.text())
        .contains("vllm:kv_cache_usage_perc{engine=\"0\",model_name=\"m\"} 1.0\n");
    assertThat(answer.outputs).isEmpty();
    answer.submission.cancel();
    await().until(() -> driver.pendingWork().unfinished() == 0);
  }

  private Answer ask(int maxTokens) {
    Answer answer = new Answer();
    SamplingParams params =
        new SamplingParams(1, OptionalInt.of(maxTokens), 0, true, Set.of(), List.of(), false);
    answer.submission = driver.submit(List.of(PROMPT), params, answer.outputs::add);
    return answer;
  }

  private static EngineConfig config() {
    return new EngineConfig(
        Timing.of(GpuProfile.H100).withSpeed(4), Scheduling.of(16, 2048), 8192, 1000, 16, true);
  }

  private static final class Answer {

    private final Queue<ChoiceOutput> outputs = new ConcurrentLinkedQueue<>();
    private Submission submission = () -> {};

    void await() {
      Patience.await().until(() -> reason().isPresent());
    }

    void awaitTokens(int count) {
      Patience.await().until(() -> outputs.size() >= count);
    }

    Optional<FinishReason> reason() {
      return outputs.stream()
          .flatMap(output -> output.finish().stream())
          .findFirst()
          .map(Finish::reason);
    }

    String text() {
      return outputs.stream().map(ChoiceOutput::text).collect(Collectors.joining());
    }
  }
}
