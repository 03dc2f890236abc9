package io.sluice.bench.fleet.balancer;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.bench.fleet.balancer.Balancer.Choice;
import io.sluice.bench.fleet.run.FleetRequest;
import io.sluice.bench.fleet.run.FleetRun;
import io.sluice.bench.fleet.run.RunResult;
import io.sluice.bench.fleet.run.Workload;
import io.sluice.simulator.engine.EngineConfig;
import io.sluice.simulator.engine.EngineStats;
import io.sluice.simulator.engine.timing.GpuProfile;
import io.sluice.simulator.engine.timing.Timing;
import java.time.Duration;
import java.util.List;
import java.util.function.IntPredicate;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** The opponents that let requests wait or refuse them, and those that know more than others. */
class OpponentsTest {
  private static final IntPredicate ALL = engine -> true;
  private static final Choice HOLD = new Choice.Hold();
  private static final EngineConfig ENGINE = EngineConfig.of(Timing.of(GpuProfile.RTX4090), 16_384);

  @Test
  void theRequestsInAnEngineAreLimited() {
    Balancer balancer = new Balancers.MaxConn(2, 2);

    assertThat(IntStream.range(0, 5).mapToObj(id -> balancer.pick(request(id), ALL)))
        .containsExactly(Choice.send(1), Choice.send(0), Choice.send(1), Choice.send(0), HOLD);
    balancer.ended(0, request(1));
    assertThat(balancer.pick(request(4), ALL)).isEqualTo(Choice.send(0));
  }

  @Test
  void aRequestThatWaitsTooLongIsRefusedAndOneThatDoesNotIsAnswered() {
    // Given one place, which the first request has for 1.5 s
    List<FleetRequest> requests = IntStream.range(0, 3).mapToObj(id -> request(id)).toList();
    FleetRun run = new FleetRun(requests, ENGINE, 1, 7);
    var proxy = new Proxy(run, new Balancers.MaxConn(1, 1), Duration.ofSeconds(2));

    // When
    RunResult result = run.run(proxy, new Workload.Length(0, Duration.ofSeconds(1).toNanos()));

    // Then
    assertThat(result.refused()).isEqualTo(1 / 3.0);
    assertThat(run.scorecard().finishedInAll()).isEqualTo(2);
  }

  @Test
  void nothingIsSentWhileTheEnginesAreSaturated() {
    Balancer balancer = new FlowControl(new Balancers.RoundRobin(2), 2);

    balancer.scraped(0, stats(9, 0.1));
    balancer.scraped(1, stats(0, 0.1));
    assertThat(balancer.pick(request(0), ALL)).isEqualTo(Choice.send(1));

    balancer.scraped(1, stats(0, 0.9));
    assertThat(balancer.pick(request(1), ALL)).isEqualTo(HOLD);
  }

  @Test
  void theKvRouterTakesTheEngineThatHasThePromptUnlessItIsBusy() {
    // Given
    FleetRun run = new FleetRun(List.of(request(0)), ENGINE, 2, 7);
    run.engines().get(1).submit(request(0));
    run.time().runUntil(Duration.ofSeconds(30).toNanos());
    Balancer router = new KvRouter(run.engines(), 7);

    // Then
    assertThat(router.pick(request(1), ALL)).isEqualTo(Choice.send(1));
    assertThat(router.pick(other(2), ALL)).isEqualTo(Choice.send(0));
    router.ended(1, request(1));
    assertThat(router.pick(other(3), ALL)).isEqualTo(Choice.send(1));
  }

  @Test
  void theOracleTakesTheEngineThatIsFreeFirstAndRefusesWhatIsTooLate() {
    FleetRun run = new FleetRun(List.of(), ENGINE, 2, 7);
    Balancer oracle = new Oracle(run.engines(), 600);

    assertThat(IntStream.range(0, 5).mapToObj(id -> oracle.pick(other(id), ALL)))
        .containsExactly(
            Choice.send(0), Choice.send(1), Choice.send(0), Choice.send(1), new Choice.Refuse());
  }

  private static EngineStats stats(int waiting, double kvUsage) {
    return new EngineStats(1, waiting, 0, kvUsage, 0, 0, 0, 0, 0);
  }

  /** All have the same prompt of 1,024 tokens, and answers of 1.5 s. */
  private static FleetRequest request(int id) {
    return new FleetRequest(id, 0, 1_024, 75, new long[] {1, 2}, 1, true, false);
  }

  /** Returns a prompt of its own, which takes 240 ms. */
  private static FleetRequest other(int id) {
    return new FleetRequest(id, 0, 1_024, 75, new long[] {10 + id, 2}, id, true, false);
  }
}
