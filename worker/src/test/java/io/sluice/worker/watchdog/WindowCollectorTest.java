package io.sluice.worker.watchdog;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.worker.health.EngineCount;
import io.sluice.worker.health.EngineSample;
import io.sluice.worker.health.EngineTotals;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import org.junit.jupiter.api.Test;

class WindowCollectorTest {
  private final WindowCollector windows = new WindowCollector(Duration.ofSeconds(2));

  @Test
  void aWindowHasTheMeansOverItsTimeAndTheSumsOfItsSamples() {
    assertThat(windows.add(sample(1_000, 2, 0, 2, 40))).isEmpty();

    EngineWindow window = windows.add(sample(3_000, 6, 1, 2, 40)).orElseThrow();

    assertThat(window.length()).isEqualTo(Duration.ofSeconds(4));
    assertThat(window.requests()).isEqualTo(5);
    assertThat(window.contextTokens()).isEqualTo(500);
    assertThat(window.isQueueing()).isTrue();
    assertThat(window.kvUsage()).hasValue(0.5);
    assertThat(window.interTokenMillis()).hasValue(20);
    assertThat(window.firstTokenMillis()).as("a queue tells of the load").isEmpty();
    assertThat(windows.add(sample(1_000, 2, 0, 2, 40))).as("the next begins").isEmpty();
  }

  @Test
  void aWindowOfAQuietEngineLastsUntilThereIsSomethingToJudge() {
    for (int i = 0; i < 4; i++) {
      assertThat(windows.add(sample(1_000, 1, 0, 0, 10))).isEmpty();
    }

    Optional<EngineWindow> window = windows.add(sample(1_000, 1, 0, 3, 10));

    assertThat(window).get().extracting(EngineWindow::length).isEqualTo(Duration.ofSeconds(5));
  }

  @Test
  void aWindowWithoutAnAnswerEnds() {
    int samples = 1;
    while (windows.add(sample(1_000, 1, 0, 0, 0)).isEmpty()) {
      samples++;
    }

    assertThat(samples).isEqualTo(40);
  }

  @Test
  void aWindowOfAnIdleEngineIsNotLonger() {
    windows.add(sample(1_000, 0, 0, 0, 0));

    assertThat(windows.add(sample(1_000, 0, 0, 0, 0))).get().matches(EngineWindow::isIdle);
  }

  private static EngineSample sample(
      int millis, int running, int waiting, int firstTokens, int interTokens) {
    return new EngineSample(
        0,
        new EngineTotals(
            Map.of(
                EngineCount.FIRST_TOKENS,
                (double) firstTokens,
                EngineCount.FIRST_TOKEN_SECONDS,
                firstTokens * 0.1,
                EngineCount.INTER_TOKENS,
                (double) interTokens,
                EngineCount.INTER_TOKEN_SECONDS,
                interTokens * 0.02)),
        Duration.ofMillis(millis),
        running,
        running * 100L,
        waiting,
        OptionalDouble.of(0.5));
  }
}
