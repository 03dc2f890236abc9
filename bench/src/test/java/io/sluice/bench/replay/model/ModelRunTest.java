package io.sluice.bench.replay.model;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.bench.fleet.run.FleetRequest;
import io.sluice.bench.fleet.sluice.RequestView;
import io.sluice.bench.fleet.sluice.WorkerRole;
import io.sluice.bench.replay.log.End;
import io.sluice.bench.replay.log.Happened;
import io.sluice.bench.replay.log.RecordedRequest;
import io.sluice.bench.replay.log.Recording;
import io.sluice.router.policy.PolicyWeights;
import io.sluice.router.prefix.PrefixChain;
import io.sluice.router.request.RequestMetadata;
import io.sluice.router.request.RequestMetadataBuilder;
import io.sluice.simulator.engine.EngineConfig;
import io.sluice.simulator.engine.timing.GpuProfile;
import io.sluice.simulator.engine.timing.Timing;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalInt;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

class ModelRunTest {
  private static final int BLOCK_TOKENS = 60;
  private static final Setup SETUP = setup(Setup.SLUICE);
  private static final ModelFleet FLEET =
      ModelFleet.of(List.of("rtx4090"), 2, List.of(request(0, 0, 0)), OptionalInt.empty());

  private static Setup setup(String policy) {
    return new Setup(policy, PolicyWeights.DEFAULTS, Duration.ofSeconds(30));
  }

  /** Prompts of 1,000 tokens begin with 15 blocks that those of the same group share. */
  private static RecordedRequest request(int number, long afterMillis, int group) {
    long[] hashes = LongStream.range(0, 15).map(i -> 1 + group * 100L + i).toArray();
    return Recorded.request(
        number, afterMillis, new PrefixChain(hashes, BLOCK_TOKENS), Happened.NOTHING);
  }

  private static ReplayRequests requests(int count, long everyMillis) {
    return new ReplayRequests(
        new Recording(
            IntStream.range(0, count).mapToObj(i -> request(i, i * everyMillis, i % 2)).toList(),
            Recorded.START,
            0,
            0));
  }

  @Test
  void promptsShareThoseBlocksThatTheRouterTakesToBeShared() {
    List<FleetRequest> requests = requests(3, 10).requests();

    long[] first = requests.getFirst().blocks();
    long[] third = requests.get(2).blocks();
    assertThat(requests.getFirst().blockTokens()).isEqualTo(BLOCK_TOKENS);
    assertThat(first).hasSize(17).startsWith(LongStream.range(0, 15).map(i -> 1 + i).toArray());
    assertThat(IntStream.range(0, 17).filter(i -> first[i] == third[i]).count()).isEqualTo(15);
    assertThat(requests.get(1).blocks()).doesNotContain(first);
  }

  @Test
  void aRequestHasItsOwnDeadlineAndItsPlaceInVirtualTime() {
    ReplayRequests requests = requests(3, 10);
    FleetRequest last = requests.requests().getLast();

    RequestMetadata metadata = requests.metadata(last, last.arrivalNanos());

    assertThat(metadata.requestId()).isEqualTo("2");
    assertThat(metadata.model()).isEqualTo("m");
    assertThat(metadata.appendTimeMillis()).isEqualTo(RequestView.START_EPOCH_MILLIS + 20);
    assertThat(metadata.deadlineEpochMillis()).isEqualTo(RequestView.START_EPOCH_MILLIS + 60_020);
  }

  @Test
  void everyRequestIsAnsweredOnAFleetWithRoomAndFindsTheSharedPrefix() {
    Replayed run = ModelRun.one(requests(40, 300), new Scenario(FLEET, SETUP), 1);

    for (int id = 0; id < 40; id++) {
      assertThat(run.end(id)).isEqualTo(End.ANSWERED);
      assertThat(run.ttftMillis(id).orElseThrow()).isBetween(1.0, 2_000.0);
      assertThat(run.waitedMillis(id)).isPresent();
    }
    // The last whole engine block of 900 shared tokens ends at 896.
    assertThat(run.cachedTokens(38)).hasValue(896);
  }

  @Test
  void aFleetWithoutRoomRefusesAfterTheLongestWait() {
    var hasty = new Setup(Setup.SLUICE, PolicyWeights.DEFAULTS, Duration.ofMillis(500));

    Replayed run = ModelRun.one(requests(2_000, 1), new Scenario(FLEET, hasty), 1);

    List<End> ends = new ArrayList<>();
    IntStream.range(0, 2_000).forEach(id -> ends.add(run.end(id)));
    assertThat(ends).contains(End.ANSWERED, End.REFUSED).doesNotContain(End.UNKNOWN);
  }

  @Test
  void equalSeedsGiveEqualRuns() throws InterruptedException {
    var scenario = new Scenario(FLEET, SETUP);
    List<List<Replayed>> runs = ModelRun.all(requests(20, 50), List.of(scenario, scenario), 2);

    assertThat(runs).hasSize(2).allSatisfy(seeds -> assertThat(seeds).hasSize(2));
    for (int seed = 0; seed < 2; seed++) {
      for (int id = 0; id < 20; id++) {
        assertThat(runs.getFirst().get(seed).ttftMillis(id))
            .isEqualTo(runs.getLast().get(seed).ttftMillis(id));
      }
    }
  }

  @Test
  void aBalancerServesWorkersThatAreEqual() {
    var scenario = new Scenario(FLEET, setup("round-robin"));
    ReplayRequests requests = requests(10, 300);
    ModelRun.check(requests, scenario);

    Replayed run = ModelRun.one(requests, scenario, 1);

    assertThat(run.end(9)).isEqualTo(End.ANSWERED);
    assertThat(run.waitedMillis(9)).isEmpty();
  }

  @Test
  void aBalancerCannotTellWorkersApart() {
    EngineConfig small = EngineConfig.of(Timing.of(GpuProfile.RTX4090), 512);
    var mixed =
        new ModelFleet(List.of(small), List.of(WorkerRole.serving(List.of("m"))), 1, List.of());

    assertThatThrownBy(
            () -> ModelRun.check(requests(1, 1), new Scenario(mixed, setup("least-requests"))))
        .hasMessageContaining("--profile");
    assertThatThrownBy(() -> ModelRun.check(requests(1, 1), new Scenario(FLEET, setup("best"))))
        .hasMessageContaining("unknown policy 'best'");
  }

  @Test
  void whatTheRouterTakesToFitAndTheEngineDoesNotIsRefusedThere() {
    // The engine counts 1,000 tokens, of which the router knows only 100.
    EngineConfig small = EngineConfig.of(Timing.of(GpuProfile.RTX4090), 800);
    var fleet =
        new ModelFleet(List.of(small), List.of(WorkerRole.serving(List.of("m"))), 1, List.of());
    RecordedRequest known = request(0, 0, 0);
    var recorded =
        new RecordedRequest(
            RequestMetadataBuilder.builder(known.metadata()).promptTokens(100).build(),
            known.prefix(),
            false,
            Recorded.answered("w1", 100, 0, 50, Recorded.START + 1_000));
    var requests = new ReplayRequests(new Recording(List.of(recorded), Recorded.START, 0, 0));

    Replayed run = ModelRun.one(requests, new Scenario(fleet, SETUP), 1);

    assertThat(run.end(0)).isEqualTo(End.FAILED);
  }

  @Test
  void aModelThatNoWorkerHasIsNotServed() {
    var other =
        new ModelFleet(FLEET.kinds(), List.of(WorkerRole.serving(List.of("other"))), 2, List.of());

    assertThat(FLEET.serves(request(0, 0, 0))).isTrue();
    assertThat(other.serves(request(0, 0, 0))).isFalse();
  }
}
