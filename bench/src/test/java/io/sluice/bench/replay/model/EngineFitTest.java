package io.sluice.bench.replay.model;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.sluice.bench.replay.log.RecordedRequest;
import io.sluice.fleet.EnginePace;
import io.sluice.fleet.EngineTraits;
import io.sluice.fleet.WorkerSnapshot;
import io.sluice.fleet.WorkerSnapshotBuilder;
import io.sluice.router.prefix.PrefixChain;
import io.sluice.simulator.engine.EngineConfig;
import io.sluice.simulator.engine.timing.GpuProfile;
import io.sluice.simulator.engine.timing.StepCost;
import io.sluice.simulator.engine.timing.StepWork;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalInt;
import org.junit.jupiter.api.Test;

class EngineFitTest {
  private static final EnginePace PACE = new EnginePace(20_000, 24, 0);

  @Test
  void memoryContextAndLimitAreThoseOfTheWorker() {
    EngineConfig engine = fit(worker(PACE), Optional.empty());

    assertThat(engine.maxModelLen()).isEqualTo(8_192);
    assertThat((engine.kvBlocks() - 2) * engine.blockTokens()).isEqualTo(64_000);
    assertThat(engine.scheduling().maxNumSeqs()).isEqualTo(24);
    assertThat(engine.timing().profile().wireName()).isEqualTo("w1");
    assertThat(
            EngineFit.of(worker(PACE), Optional.empty(), OptionalInt.of(100))
                .scheduling()
                .maxNumSeqs())
        .isEqualTo(100);
  }

  @Test
  void promptsTakeAsLongAsMeasuredAndStepsAsLongAsMeasuredAtTheirLoad() {
    StepCost cost = fit(worker(PACE), Optional.empty()).timing().profile().cost();

    assertThat(cost.prefillTokenMillis()).isEqualTo(0.05);
    assertThat(cost.stepMillis(StepWork.decode(6, 12_000))).isCloseTo(24, within(1e-9));
  }

  @Test
  void recordedAnswersCountMoreThanTheLatestMeasurement() {
    // 4 tokens per ms at 0.05 ms each: a fifth of the time is prefill.
    var recorded = new WorkerPace(30, 10, 20_000, 4);

    StepCost cost = fit(worker(PACE), Optional.of(recorded)).timing().profile().cost();

    assertThat(cost.stepMillis(StepWork.decode(10, 20_000))).isCloseTo(24, within(1e-9));
  }

  @Test
  void anEngineThatWasNeverMeasuredIsTakenForAConsumersGpu() {
    WorkerSnapshot unmeasured = worker(EnginePace.UNKNOWN);

    assertThat(fit(unmeasured, Optional.empty()).timing().profile().cost())
        .isEqualTo(GpuProfile.RTX4090.cost());
    assertThat(ModelFleet.of(List.of(unmeasured), List.of(), OptionalInt.empty()).assumed())
        .containsExactly("w1");
  }

  @Test
  void theTimeBetweenTokensIsMeasuredOverTheAnswersOfAWorker() {
    List<RecordedRequest> requests = new ArrayList<>();
    for (int i = 0; i < 20; i++) {
      // Two at a time: 50 tokens in 980 ms after a first token at 100 ms.
      long arrival = i / 2 * 2_000L;
      requests.add(
          Recorded.request(
              i,
              arrival,
              PrefixChain.NONE,
              Recorded.answered("w1", 100, 804, 50, Recorded.START + arrival + 1_080)));
    }

    WorkerPace pace = WorkerPace.of(requests).get("w1");

    assertThat(pace.stepMillis()).isEqualTo(20);
    assertThat(pace.running()).isEqualTo(2);
    assertThat(pace.contextTokens()).isEqualTo(2 * 1_025);
    assertThat(pace.prefillTokensPerMilli()).isEqualTo(0.4);
  }

  @Test
  void fewAnswersSayNothing() {
    assertThat(
            WorkerPace.of(
                List.of(
                    Recorded.request(
                        0,
                        0,
                        PrefixChain.NONE,
                        Recorded.answered("w1", 100, 0, 50, Recorded.START + 1_000)))))
        .isEmpty();
  }

  private static EngineConfig fit(WorkerSnapshot worker, Optional<WorkerPace> recorded) {
    return EngineFit.of(worker, recorded, OptionalInt.empty());
  }

  private static WorkerSnapshot worker(EnginePace pace) {
    return WorkerSnapshotBuilder.builder()
        .id("w1")
        .incarnation("first")
        .sequence(1)
        .models(List.of("m"))
        .cards(Map.of())
        .lanes(List.of())
        .maxModelLen(8_192)
        .tokenBudget(64_000)
        .tokensInUse(12_000)
        .kvUsage(OptionalDouble.empty())
        .running(6)
        .waiting(0)
        .slots(24)
        .held(Map.of())
        .draining(false)
        .engineUp(true)
        .pace(pace)
        .traits(EngineTraits.NONE)
        .version("")
        .build();
  }
}
