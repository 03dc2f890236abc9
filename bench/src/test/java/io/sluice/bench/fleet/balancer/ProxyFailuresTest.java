package io.sluice.bench.fleet.balancer;

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
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What a proxy does with the requests of an engine that fails. */
class ProxyFailuresTest {
  private static final EngineConfig ENGINE = EngineConfig.of(Timing.of(GpuProfile.RTX4090), 16_384);
  private static final Workload.Length LENGTH =
      new Workload.Length(0, Duration.ofSeconds(60).toNanos());

  @ParameterizedTest
  @EnumSource
  void aStreamWithTokensIsLostAndARequestWithoutIsSentToAnotherEngine(Kind kind) {
    // Given an engine with a stream and with a prompt that is not computed yet
    FleetRun run = run(request(0, 0), request(1, 3_000), other(2, 3_950));
    var proxy = proxy(run);
    run.time().at(seconds(4), () -> run.engines().get(1).fail(kind));

    // When
    RunResult result = run.run(proxy, LENGTH);

    // Then
    assertThat(result.lost()).isEqualTo(1 / 3.0);
    assertThat(result.goodput()).isLessThanOrEqualTo(2 / 3.0);
    assertThat(run.scorecard().finishedInAll()).isEqualTo(2);
    assertThat(result.resumed()).isZero();
    // A machine that is gone is found by three failed checks.
    assertThat(result.ttftP99Millis() > 4_000).isEqualTo(kind == Kind.MACHINE);
  }

  @Test
  void aRequestThatTwoEnginesFailIsLost() {
    FleetRun run = run(request(0, 900));
    var proxy = proxy(run);
    run.time().at(seconds(1), () -> run.engines().get(1).fail(Kind.ENGINE));
    run.time().at(seconds(1.5), () -> run.engines().get(0).fail(Kind.ENGINE));

    RunResult result = run.run(proxy, LENGTH);

    assertThat(result.lost()).isEqualTo(1);
    assertThat(result.refused()).isZero();
    assertThat(run.scorecard().isComplete()).isTrue();
  }

  @ParameterizedTest
  @EnumSource
  void nothingIsLostAtAnEngineThatIsAlreadyDown(Kind kind) {
    FleetRun run =
        run(IntStream.range(0, 5).mapToObj(id -> request(id, 2_000)).toArray(FleetRequest[]::new));
    var proxy = proxy(run);
    run.time().at(seconds(1), () -> run.engines().get(1).fail(kind));

    RunResult result = run.run(proxy, LENGTH);

    assertThat(result.lost()).isZero();
    assertThat(run.scorecard().finishedInAll()).isEqualTo(5);
  }

  @Test
  void anEngineThatIsBackIsUsedAgainAndHasAnEmptyCache() {
    // Given
    FleetRun run = run(request(0, 0), request(1, 40_000), request(2, 40_100));
    var proxy = proxy(run);
    EngineNode engine = run.engines().get(1);
    long[] hashes = BlockHashes.of(request(0, 0).toSequence(), ENGINE.blockTokens());
    int[] cached = new int[2];
    run.time().at(seconds(20), () -> cached[0] = engine.cachedTokens(hashes));
    run.time().at(seconds(21), () -> engine.fail(Kind.ENGINE));
    run.time().at(seconds(30), engine::comeBack);
    run.time().at(seconds(31), () -> cached[1] = engine.cachedTokens(hashes));

    // When
    RunResult result = run.run(proxy, LENGTH);

    // Then
    assertThat(cached[0]).isPositive();
    assertThat(cached[1]).isZero();
    assertThat(engine.cachedTokens(hashes)).isPositive();
    assertThat(result.lost()).isZero();
  }

  private static Proxy proxy(FleetRun run) {
    // Begins with the second engine.
    return new Proxy(run, new Balancers.RoundRobin(2), Duration.ofSeconds(1));
  }

  private static FleetRun run(FleetRequest... requests) {
    return new FleetRun(List.of(requests), ENGINE, 2, 7);
  }

  private static long seconds(double seconds) {
    return (long) (seconds * 1e9);
  }

  /**
   * Returns a prompt that takes many steps, with an answer of seconds. All have the same prompt.
   */
  private static FleetRequest request(int id, long atMillis) {
    long[] blocks = IntStream.range(0, 16).mapToLong(block -> block).toArray();
    return new FleetRequest(id, atMillis * 1_000_000, 8_192, 200, blocks, 1, true, false);
  }

  /** Returns the same with a prompt of its own. */
  private static FleetRequest other(int id, long atMillis) {
    long[] blocks = IntStream.range(0, 16).mapToLong(block -> 100 * id + block).toArray();
    return new FleetRequest(id, atMillis * 1_000_000, 8_192, 200, blocks, id, true, false);
  }
}
