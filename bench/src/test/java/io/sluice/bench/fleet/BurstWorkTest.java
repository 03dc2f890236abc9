package io.sluice.bench.fleet;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.bench.fleet.BurstWork.Bursts;
import io.sluice.bench.fleet.BurstWork.Result;
import io.sluice.bench.fleet.BurstWork.Scenario;
import io.sluice.simulator.engine.EngineConfig;
import io.sluice.simulator.engine.timing.GpuProfile;
import io.sluice.simulator.engine.timing.Timing;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.time.Duration;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;

@Tag("slow")
class BurstWorkTest {
  private static final Bursts BURSTS = new Bursts(4, 0.5, Duration.ofSeconds(20));

  private final BurstWork work =
      new BurstWork(
          EngineConfig.of(Timing.of(GpuProfile.H100), 16_384),
          1,
          BURSTS,
          600,
          Duration.ofSeconds(20));

  @Test
  void burstsTakeTheFirstHalfOfEachPeriod() {
    assertThat(BURSTS.rateAt(0)).isEqualTo(4);
    assertThat(BURSTS.rateAt(Duration.ofSeconds(12).toNanos())).isEqualTo(0.5);
    assertThat(BURSTS.rateAt(Duration.ofSeconds(29).toNanos())).isEqualTo(4);
    assertThat(BURSTS.endOfPhase(Duration.ofSeconds(12).toNanos()))
        .isEqualTo(Duration.ofSeconds(20).toNanos());
    assertThat(BURSTS.meanRate()).isEqualTo(2.25);
  }

  @Test
  void jobsEndInTheOrderOfTheirDeadlinesAlthoughTheLatestWasSubmittedFirst() {
    Result result = work.run(Scenario.ALL, 1);

    assertThat(result.endMinutes()).hasSize(3);
    assertThat(result.isInOrder()).isTrue();
    assertThat(result.unanswered()).isZero();
    assertThat(result.burstP99Millis()).isPositive();
  }

  @Test
  void withoutInteractiveRequestsAJobHasMoreOfTheFleet() {
    Result withTraffic = work.run(Scenario.DAY, 1);
    Result alone = work.run(Scenario.JOBS, 1);

    assertThat(alone.bulkTokensPerSecond()).isGreaterThan(withTraffic.bulkTokensPerSecond());
    assertThat(work.run(Scenario.ALONE, 1).bulkTokensPerSecond()).isZero();
  }

  @Test
  void oneRateIsWrongUsage() {
    var error = new StringWriter();

    int exit =
        new CommandLine(new BulkCommand()).setErr(new PrintWriter(error)).execute("--bursts=15");

    assertThat(exit).isEqualTo(2);
    assertThat(error.toString()).contains("--bursts needs two rates");
  }
}
