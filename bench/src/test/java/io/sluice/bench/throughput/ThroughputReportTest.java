package io.sluice.bench.throughput;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.bench.process.ProcessorTime;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class ThroughputReportTest {
  @Test
  void aReportHasTheMediansOfTheTurns() {
    // Given
    List<Turn> turns = List.of(turn(2, 100), turn(1, 300), turn(4, 200));

    // When
    String text = new ThroughputReport("SDK", turns).text();

    // Then
    assertThat(text.lines().map(line -> line.strip().replaceAll(" +", " ")))
        .containsExactly(
            "SDK: 500 tokens per second (250 to 1000), 400 bytes of log per token",
            "us per token all compilers collections",
            "router 50.0 10.0 5.0",
            "worker 200.0 100.0 10.0",
            "sum 250");
  }

  @Test
  void theCompilersShareIsThatOfAllProcesses() {
    assertThat(turn(1, 390).compilersShare()).isEqualTo(0.25);
  }

  private static Turn turn(double seconds, long workerMillis) {
    return new Turn(
        1_000,
        seconds,
        400_000,
        Map.of(
            "worker", new ProcessorTime(workerMillis, 100, 10, 0),
            "router", new ProcessorTime(50, 10, 5, 0)));
  }
}
