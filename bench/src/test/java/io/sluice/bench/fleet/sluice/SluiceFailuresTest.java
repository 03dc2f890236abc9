package io.sluice.bench.fleet.sluice;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.bench.fleet.run.EngineFailures.Kind;
import io.sluice.bench.fleet.run.EngineNode;
import io.sluice.bench.fleet.run.FleetRequest;
import io.sluice.bench.fleet.run.FleetRun;
import io.sluice.bench.fleet.run.RunResult;
import io.sluice.bench.fleet.run.Workload;
import io.sluice.simulator.engine.BlockHashes;
import io.sluice.simulator.engine.EngineConfig;
import io.sluice.simulator.engine.timing.GpuProfile;
import io.sluice.simulator.engine.timing.Timing;
import java.time.Duration;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What the router and its workers do with the requests of an engine that fails. */
class SluiceFailuresTest {
  private static final EngineConfig ENGINE = EngineConfig.of(Timing.of(GpuProfile.RTX4090), 16_384);
  private static final Workload.Length LENGTH =
      new Workload.Length(0, Duration.ofSeconds(30).toNanos());

  @ParameterizedTest
  @EnumSource
  void noAnswerIsLostWhenAnEngineFails(Kind kind) {
    // Given a request each 200 ms
    FleetRun run = new FleetRun(requests(150), ENGINE, 3, 7);
    var front = new SluiceFront(run, 7, FrontSettings.STANDARD);
    run.time().at(seconds(10), () -> run.engines().get(1).fail(kind));

    // When
    RunResult result = run.run(front, LENGTH);

    // Then
    assertThat(result.lost()).isZero();
    assertThat(result.refused()).isZero();
    assertThat(run.scorecard().finishedInAll()).isEqualTo(150);
    assertThat(result.resumed()).isBetween(0.005, 0.2);
    // A worker tells of its engine at once. That of a machine is silent for a while.
    assertThat(result.longestGapMillis() > 1_500).isEqualTo(kind == Kind.MACHINE);
    assertThat(result.longestGapMillis()).isLessThan(4_000);
  }

  @ParameterizedTest
  @EnumSource
  void anEngineThatIsBackGetsRequestsAgainAndHasAnEmptyCache(Kind kind) {
    // Given
    FleetRun run = new FleetRun(requests(150), ENGINE, 3, 7);
    var front = new SluiceFront(run, 7, FrontSettings.STANDARD);
    EngineNode engine = run.engines().get(1);
    long[] shared = BlockHashes.of(requests(1).getFirst().toSequence(), ENGINE.blockTokens());
    int[] cached = new int[2];
    run.time().at(seconds(9.9), () -> cached[0] = engine.cachedTokens(shared));
    run.time().at(seconds(10), () -> engine.fail(kind));
    run.time().at(seconds(20), engine::comeBack);
    run.time().at(seconds(20.001), () -> cached[1] = engine.cachedTokens(shared));

    // When
    RunResult result = run.run(front, LENGTH);

    // Then
    assertThat(cached[0]).isPositive();
    assertThat(cached[1]).isZero();
    assertThat(engine.cachedTokens(shared)).isPositive();
    assertThat(front.fleet().worker("w1").orElseThrow().snapshot().accepting()).isTrue();
    assertThat(result.lost()).isZero();
  }

  @ParameterizedTest
  @EnumSource
  void requestsWaitWhenAllEnginesFail(Kind kind) {
    // Given
    FleetRun run = new FleetRun(requests(40), ENGINE, 2, 7);
    var front = new SluiceFront(run, 7, FrontSettings.STANDARD);
    for (EngineNode engine : run.engines()) {
      run.time().at(seconds(5), () -> engine.fail(kind));
      run.time().at(seconds(15), engine::comeBack);
    }

    // When
    RunResult result = run.run(front, LENGTH);

    // Then
    assertThat(result.lost()).isZero();
    assertThat(run.scorecard().finishedInAll()).isEqualTo(40);
  }

  private static long seconds(double seconds) {
    return (long) (seconds * 1e9);
  }

  /** Returns one each 200 ms, with prompts that begin alike, and answers of some seconds. */
  private static List<FleetRequest> requests(int count) {
    return IntStream.range(0, count)
        .mapToObj(
            id ->
                new FleetRequest(
                    id, id * 200_000_000L, 1_024, 100, new long[] {1, 100 + id}, id, true, false))
        .toList();
  }
}
