package io.sluice.cli.doctor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import io.sluice.cli.doctor.Finding.Grade;
import io.sluice.common.protocol.Priority;
import io.sluice.fleet.EnginePace;
import io.sluice.fleet.EngineTraits;
import io.sluice.fleet.FleetReading;
import io.sluice.fleet.WorkerSnapshotBuilder;
import io.sluice.fleet.breaker.BreakerState;
import io.sluice.fleet.breaker.OperatorOverride;
import io.sluice.fleet.peers.RouterReport;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import org.junit.jupiter.api.Test;

class FleetRulesTest {
  private static final RouterReport R1 = router("r1", "2k", "8k");
  private static final RouterReport R2 = router("r2", "2k", "8k");

  @Test
  void aFleetAsItShouldBeIsOk() {
    assertThat(
            FleetRules.findings(
                new FleetReading(List.of(worker("w1").build()), Map.of()), List.of(R1, R2)))
        .extracting(Finding::grade)
        .containsOnly(Grade.OK);
  }

  @Test
  void anEmptyFleetFails() {
    assertThat(bad(FleetReading.EMPTY))
        .extracting(Finding::state)
        .containsExactly("none reports to Redis", "none registers in Redis");
  }

  @Test
  void aWorkerWithoutItsEngineFailsAndItsLanesAreNotServed() {
    assertThat(
            bad(new FleetReading(List.of(worker("w1").engineUp(false).build()), Map.of()), R1, R2))
        .extracting(Finding::part, Finding::state)
        .containsExactly(
            tuple("worker w1", "its engine does not answer"),
            tuple("lane 2k", "no worker serves it"),
            tuple("lane 8k", "no worker serves it"));
  }

  @Test
  void aLaneWithoutWorkersFailsOnlyIfRequestsWaitInIt() {
    // Given
    var fleet = new FleetReading(List.of(worker("w1").lanes(List.of("2k")).build()), Map.of());
    var waiting = new RouterReport.Waiting("8k", Priority.INTERACTIVE, 3, 9_000);
    RouterReport busy = router("r2", List.of(waiting), R2.lanes());

    // Then
    assertThat(bad(fleet, R1, R2))
        .extracting(Finding::part, Finding::grade)
        .containsExactly(tuple("lane 8k", Grade.WARNING));
    assertThat(bad(fleet, R1, busy))
        .extracting(Finding::part, Finding::grade, Finding::state)
        .containsExactly(
            tuple("lane 8k", Grade.FAILURE, "no worker serves it, with 3 waiting requests in it"));
  }

  @Test
  void anOpenBreakerIsToldWithItsCauses() {
    var breaker =
        new BreakerState(7, BreakerState.NEW.circuit(), true, false, OperatorOverride.AUTO, "");
    var fleet = new FleetReading(List.of(worker("w1").build()), Map.of("w1", breaker));

    assertThat(bad(fleet, R1, R2))
        .extracting(Finding::state)
        .containsExactly("its breaker is open: memory");
  }

  @Test
  void workersThatNoRouterUsesAreTold() {
    FleetReading fleet =
        new FleetReading(
            List.of(
                worker("w1").build(),
                worker("w2").tier(Optional.of("golden")).build(),
                worker("w3").lanes(List.of("3k")).build(),
                worker("w4").draining(true).build(),
                worker("w5").version("0.9").build()),
            Map.of());

    assertThat(bad(fleet, R1, R2))
        .extracting(Finding::part)
        .containsExactly("worker w2", "worker w3", "worker w4", "versions");
  }

  @Test
  void routersThatDisagreeFailAndASingleOneIsAWarning() {
    FleetReading fleet = new FleetReading(List.of(worker("w1").build()), Map.of());

    assertThat(bad(fleet, R1, router("r2", "2k")))
        .extracting(Finding::grade)
        .containsExactly(Grade.FAILURE);
    assertThat(bad(fleet, R1)).extracting(Finding::grade).containsExactly(Grade.WARNING);
  }

  private static List<Finding> bad(FleetReading fleet, RouterReport... routers) {
    return FleetRules.findings(fleet, List.of(routers)).stream()
        .filter(finding -> finding.grade() != Grade.OK)
        .toList();
  }

  private static RouterReport router(String id, String... lanes) {
    return router(id, List.of(), List.of(lanes));
  }

  private static RouterReport router(
      String id, List<RouterReport.Waiting> waiting, List<String> lanes) {
    return new RouterReport(
        id, waiting, Map.of(), lanes, List.of("fast", "precise"), List.of(), 0, List.of());
  }

  private static WorkerSnapshotBuilder worker(String id) {
    return WorkerSnapshotBuilder.builder(
        WorkerSnapshotBuilder.builder()
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
            .held(Map.of("r1", 7))
            .draining(false)
            .engineUp(true)
            .pace(EnginePace.UNKNOWN)
            .traits(EngineTraits.NONE)
            .version("0.1.0")
            .tier(Optional.of("fast"))
            .build());
  }
}
