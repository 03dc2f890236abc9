package io.sluice.bench.soak;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.sluice.bench.process.ProcessStatus;
import io.sluice.bench.process.ProcessorTime;
import io.sluice.bench.traffic.ChatOutcome;
import java.time.Duration;
import java.util.List;
import java.util.OptionalDouble;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;

class SoakReportTest {
  private static final int KIB_PER_MIB = 1024;
  private static final ProcessorTime NO_TIME = new ProcessorTime(0, 0, 0, 0);

  @Test
  void aLineThroughNoisyFiguresHasTheirSlope() {
    var trend = new Trend();
    for (int minute = 0; minute < 60; minute++) {
      trend.add(minute, 200 + 0.5 * minute + (minute % 2 == 0 ? 20 : -20));
    }

    assertThat(trend.perMinute()).isCloseTo(0.5, within(0.05));
    assertThat(trend.first()).isEqualTo(220);
  }

  @Test
  void fewerThanTwoFiguresHaveNoSlope() {
    var trend = new Trend();
    assertThat(trend.perMinute()).isZero();
    trend.add(1, 7);
    assertThat(trend.perMinute()).isZero();
  }

  @Test
  void aServiceThatGrowsAndARequestWithoutAnAnswerAreProblems() {
    // Given
    var leaks = new ProcessTrend("leaks");
    var kafka = new ProcessTrend("kafka");
    for (int minute = 0; minute < 10; minute++) {
      int many = 100 + minute;
      leaks.add(minute, new ProcessStatus(2L * minute * KIB_PER_MIB, 0, 30, many), NO_TIME);
      kafka.add(minute, new ProcessStatus(200L * KIB_PER_MIB, 0, 30, many), NO_TIME);
    }

    // When
    List<String> problems =
        new SoakReport(
                List.of(leaks),
                kafka,
                new Trend(),
                false,
                List.of(outcome(true), outcome(false)),
                Duration.ofMinutes(10))
            .problems();

    // Then
    assertThat(problems)
        .containsExactly(
            "leaks: memory (MiB) grow by 2.00 a minute",
            "leaks: descriptors grow by 1.00 a minute",
            "1 requests were not answered");
  }

  @Test
  void kafkaMayNotGrowOnceItsRecordsLeave() {
    // Given
    var kafka = new ProcessTrend("kafka");
    var disk = new Trend();
    for (int minute = 0; minute < 10; minute++) {
      kafka.add(minute, new ProcessStatus(200L * KIB_PER_MIB, 0, 30, 100 + minute), NO_TIME);
      disk.add(minute, 500 + 2.0 * minute);
    }

    // Then
    assertThat(
            new SoakReport(List.of(), kafka, disk, true, List.of(), Duration.ofMinutes(10))
                .problems())
        .containsExactly(
            "kafka: descriptors grow by 1.00 a minute", "kafka: data (MiB) grow by 2.00 a minute");
  }

  @Test
  void aProcessThatUsesThirtySecondsAMinuteKeepsHalfAProcessorBusy() {
    var busy = new ProcessTrend("busy");
    for (int minute = 0; minute < 10; minute++) {
      busy.add(
          minute,
          new ProcessStatus(0, 0, 0, 0),
          new ProcessorTime(Duration.ofSeconds(30L * minute).toMillis(), 0, 0, 0));
    }

    assertThat(busy.cores()).isCloseTo(0.5, within(0.001));
  }

  private static ChatOutcome outcome(boolean isWhole) {
    return new ChatOutcome(0, 200, 1, OptionalDouble.of(2), OptionalLong.empty(), isWhole);
  }
}
