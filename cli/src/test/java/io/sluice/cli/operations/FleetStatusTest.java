package io.sluice.cli.operations;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.common.protocol.Json;
import io.sluice.common.protocol.Priority;
import io.sluice.fleet.EnginePace;
import io.sluice.fleet.EngineTraits;
import io.sluice.fleet.FleetReading;
import io.sluice.fleet.WorkerSnapshot;
import io.sluice.fleet.WorkerSnapshotBuilder;
import io.sluice.fleet.breaker.BreakerState;
import io.sluice.fleet.breaker.OperatorOverride;
import io.sluice.fleet.peers.RouterReport;
import io.sluice.fleet.peers.RouterReport.Waiting;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import org.junit.jupiter.api.Test;

class FleetStatusTest {

  @Test
  void workersAreShownInTheOrderOfTheirNames() {
    // When
    FleetStatus status =
        FleetStatus.of(
            new FleetReading(
                List.of(worker("gpu-2", false, 0), worker("gpu-1", true, 20)),
                Map.of(
                    "gpu-2",
                    new BreakerState(
                        7, BreakerState.NEW.circuit(), true, false, OperatorOverride.AUTO, ""))),
            List.of());

    // Then
    assertThat(FleetTable.workers(status).lines())
        .containsExactly(
            "worker  tier  model    KV  running  waiting  held  tok/s  state     breaker",
            "gpu-1   fast  llama  25 %        3        1  7/64    150  draining  closed",
            "gpu-2   fast  llama  25 %        3        1  7/64      -  ready     open (memory)");
  }

  @Test
  void whileItsEngineIsDownAWorkersRequestsAndPaceAreUnknown() {
    // Given
    WorkerSnapshot down =
        WorkerSnapshotBuilder.builder(worker("gpu-1", false, 20))
            .tokensInUse(0)
            .kvUsage(OptionalDouble.empty())
            .running(0)
            .waiting(0)
            .engineUp(false)
            .build();

    // When
    FleetStatus status = FleetStatus.of(new FleetReading(List.of(down), Map.of()), List.of());

    // Then
    assertThat(FleetTable.workers(status).lines())
        .containsExactly(
            "worker  tier  model  KV  running  waiting  held  tok/s  state        breaker",
            "gpu-1   fast  llama   -        -        -  7/64      -  engine down  closed");
    assertThat(Json.text(status))
        .contains("\"held\":7")
        .doesNotContain("\"running\"", "\"waiting\"", "\"tokens_per_second\"");
  }

  @Test
  void theBacklogIsTheSumOverAllRouters() {
    // When
    FleetStatus status =
        FleetStatus.of(
            FleetReading.EMPTY,
            List.of(
                report(
                    "a",
                    new Waiting("8k", Priority.BULK, 5, 5_000),
                    new Waiting("8k", Priority.INTERACTIVE, 2, 800)),
                report("b", new Waiting("8k", Priority.BULK, 1, 700))));

    // Then
    assertThat(status.routers()).isEqualTo(2);
    assertThat(FleetTable.backlog(status).lines())
        .containsExactly(
            "lane  priority     waiting  tokens",
            "8k    interactive        2     800",
            "8k    bulk               6    5700");
  }

  private static RouterReport report(String id, Waiting... waiting) {
    return new RouterReport(
        id, List.of(waiting), Map.of(), List.of(), List.of(), List.of(), 0, List.of());
  }

  @Test
  void anEmptyBacklogIsSaid() {
    assertThat(FleetTable.backlog(FleetStatus.of(FleetReading.EMPTY, List.of())))
        .isEqualTo("nothing waits\n");
  }

  private static WorkerSnapshot worker(String id, boolean draining, double stepMillis) {
    return WorkerSnapshotBuilder.builder()
        .id(id)
        .incarnation("boot")
        .sequence(1)
        .models(List.of("llama"))
        .cards(Map.of())
        .lanes(List.of())
        .maxModelLen(8192)
        .tokenBudget(200_000)
        .tokensInUse(1_000)
        .kvUsage(OptionalDouble.of(0.25))
        .running(3)
        .waiting(1)
        .slots(64)
        .held(Map.of("router-0", 7))
        .draining(draining)
        .engineUp(true)
        .pace(new EnginePace(0, stepMillis, 0))
        .traits(EngineTraits.NONE)
        .version("0.1.0")
        .tier(Optional.of("fast"))
        .build();
  }
}
