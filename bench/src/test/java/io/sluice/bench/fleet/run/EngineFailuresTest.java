package io.sluice.bench.fleet.run;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.bench.fleet.run.EngineFailures.Failure;
import io.sluice.bench.fleet.run.EngineFailures.Kind;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

class EngineFailuresTest {
  private static final Workload.Length LENGTH =
      new Workload.Length(Duration.ofSeconds(60).toNanos(), Duration.ofSeconds(120).toNanos());
  private static final EngineFailures FIVE =
      new EngineFailures(5, Kind.ENGINE, Duration.ofSeconds(10));

  @Test
  void equalSeedsGiveEqualFailuresAndOthersGiveOthers() {
    List<Failure> failures = FIVE.schedule(8, LENGTH, 7);

    assertThat(FIVE.schedule(8, LENGTH, 7)).isEqualTo(failures);
    assertThat(FIVE.schedule(8, LENGTH, 8)).isNotEqualTo(failures);
  }

  @Test
  void enginesFailOnceEachInTheMeasuredPeriod() {
    List<Failure> failures = FIVE.schedule(8, LENGTH, 7);

    assertThat(failures).extracting(Failure::engine).hasSize(5).doesNotHaveDuplicates();
    assertThat(failures)
        .extracting(Failure::atNanos)
        .isSorted()
        .allMatch(nanos -> nanos >= LENGTH.warmUpNanos() && nanos < LENGTH.totalNanos());
  }
}
