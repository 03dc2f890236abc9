package io.sluice.bench.fleet.compare;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.sluice.bench.fleet.run.EngineFailures;
import io.sluice.bench.fleet.run.FleetRequest;
import io.sluice.bench.fleet.run.FleetRun;
import io.sluice.bench.fleet.run.RunResult;
import io.sluice.bench.fleet.run.Workload;
import io.sluice.bench.trace.Trace;
import io.sluice.bench.trace.TraceRequest;
import io.sluice.simulator.engine.EngineConfig;
import io.sluice.simulator.engine.timing.GpuProfile;
import io.sluice.simulator.engine.timing.Timing;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

@Tag("slow")
class ContestantTest {
  private static final Workload.Length LENGTH =
      new Workload.Length(Duration.ofSeconds(2).toNanos(), Duration.ofSeconds(8).toNanos());

  @ParameterizedTest
  @MethodSource("contestants")
  void equalSeedsGiveEqualResultsAndIdleEnginesAnswerWell(Contestant contestant) {
    RunResult first = experiment().run(contestant, 3, 2, 7);
    RunResult second = experiment().run(contestant, 3, 2, 7);

    assertThat(second).isEqualTo(first);
    assertThat(first.goodput()).isEqualTo(1);
    assertThat(first.refused()).isZero();
  }

  static List<Contestant> contestants() {
    return Contestant.all();
  }

  @ParameterizedTest
  @MethodSource("contestants")
  void equalSeedsGiveEqualResultsWhenEnginesFail(Contestant contestant) {
    var failures = new EngineFailures(2, EngineFailures.Kind.ENGINE, Duration.ofSeconds(3));
    var experiment = new Experiment(trace(), List.of(engine(GpuProfile.RTX4090)), LENGTH, failures);

    RunResult first = experiment.run(contestant, 3, 4, 7);
    RunResult second = experiment.run(contestant, 3, 4, 7);

    assertThat(second).isEqualTo(first);
    assertThat(first.lost()).isLessThan(0.5);
    assertThat(first.goodput() + first.lost() + first.refused() + first.late() + first.slow())
        .isCloseTo(1, within(1e-9));
  }

  @Test
  void aSessionThatStaysWithItsEngineFindsItsPrefix() {
    RunResult hash = experiment().run(Contestant.CONSISTENT_HASH, 3, 2, 7);

    assertThat(hash.hitRate()).isGreaterThan(0.3);
  }

  @Test
  void routersThatRecallCachesKnowThemAfterAllWereKilled() {
    RunResult blind = experiment().run(Contestant.named("sluice-blind"), 3, 2, 7);
    RunResult recalled = experiment().run(Contestant.named("sluice-recall"), 3, 2, 7);

    assertThat(blind.uninformed().after()).isPositive();
    assertThat(blind.uninformed().before()).isZero();
    assertThat(recalled.uninformed().after()).isZero();
  }

  @Test
  void requestsBeyondWhatEnginesCanDoAreRefusedEarlyBySluiceAlone() {
    RunResult sluice = experiment().run(Contestant.SLUICE, 1, 20, 7);
    RunResult proxy = experiment().run(Contestant.LEAST_REQUESTS, 1, 20, 7);

    assertThat(proxy.refused()).isZero();
    assertThat(sluice.goodput()).isGreaterThanOrEqualTo(proxy.goodput());
  }

  @ParameterizedTest
  @ValueSource(strings = {"oracle", "sluice"})
  void anEngineThatIsFasterIsPreferred(String name) {
    // Given an engine that takes six times as long for a prompt as the other one
    var mixed =
        new Experiment(
            trace(),
            List.of(engine(GpuProfile.L4), engine(GpuProfile.H100)),
            LENGTH,
            EngineFailures.NONE);

    // When
    RunResult blind = mixed.run(Contestant.ROUND_ROBIN, 2, 1, 7);
    RunResult seeing = mixed.run(Contestant.named(name), 2, 1, 7);

    // Then
    assertThat(seeing.ttftP95Millis()).isLessThan(blind.ttftP95Millis() / 2);
  }

  @ParameterizedTest
  @ValueSource(strings = {"round-robin", "maxconn-4", "kv-router", "oracle", "sluice-patient"})
  void aCallerThatHangsUpBeforeItsFirstTokenGetsNone(String name) {
    Contestant contestant = Contestant.named(name);
    List<FleetRequest> requests = Workload.of(trace(), 20, LENGTH, 7);
    FleetRun run = new FleetRun(requests, engine(GpuProfile.RTX4090), 1, 7);

    RunResult result = run.run(contestant.front(run, 7), LENGTH, Duration.ofSeconds(1));

    assertThat(result.refused()).isGreaterThan(0.1);
    assertThat(result.ttftP99Millis()).isLessThan(1_500);
    assertThat(run.scorecard().isComplete()).isTrue();
  }

  private static Experiment experiment() {
    return new Experiment(
        trace(), List.of(engine(GpuProfile.RTX4090)), LENGTH, EngineFailures.NONE);
  }

  private static EngineConfig engine(GpuProfile profile) {
    return EngineConfig.of(Timing.of(profile), 16_384);
  }

  /** Five sessions in turn, one request a second, that share their first block. */
  private static Trace trace() {
    List<TraceRequest> requests = new ArrayList<>();
    for (int i = 0; i < 200; i++) {
      long session = 1 + i % 5;
      requests.add(
          new TraceRequest(i * 1_000_000_000L, 1500, 20, new long[] {0, session, 100 + i}));
    }
    return new Trace("test", requests, true);
  }
}
