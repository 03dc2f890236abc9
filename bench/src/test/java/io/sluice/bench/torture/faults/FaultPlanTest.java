package io.sluice.bench.torture.faults;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.bench.process.EngineCommand;
import io.sluice.bench.process.EngineKind;
import io.sluice.bench.torture.load.LoadPlan;
import io.sluice.bench.torture.load.PlannedRequest;
import io.sluice.bench.torture.load.RequestKind;
import io.sluice.bench.torture.pool.Engines;
import io.sluice.bench.torture.pool.PoolSetup;
import io.sluice.bench.torture.pool.Target;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class FaultPlanTest {
  private static final Duration LENGTH = Duration.ofMinutes(10);
  private static final Duration EVERY = Duration.ofSeconds(4);

  private static final Engines SIMULATED = Engines.simulated();
  private static final PoolSetup REAL =
      PoolSetup.over(Engines.of(EngineKind.of(new EngineCommand("serve {port}"), "m", 2_048)), 2);

  private static final Set<Target.Role> ALL_CLOCKS =
      Set.of(Target.Role.BROKER, Target.Role.ROUTER, Target.Role.WORKER);

  @Test
  void equalSeedsPlanTheSameFaultsAndRequests() {
    assertThat(schedule(7)).isEqualTo(schedule(7)).isNotEqualTo(schedule(8));
    assertThat(LoadPlan.of(7, LENGTH, 2, SIMULATED))
        .isEqualTo(LoadPlan.of(7, LENGTH, 2, SIMULATED));
  }

  @Test
  void aLongRunHasFaultsOfEveryKindAndRequestsOfEveryKind() {
    assertThat(
            Stream.concat(schedule(1).stream(), schedule(REAL).stream())
                .map(entry -> entry.fault().getClass())
                .distinct())
        .hasSize(Fault.class.getPermittedSubclasses().length);
    assertThat(
            LoadPlan.of(1, LENGTH, 2, SIMULATED).stream()
                .map(PlannedRequest::kind)
                .collect(Collectors.toSet()))
        .containsExactlyInAnyOrderElementsOf(
            Arrays.stream(RequestKind.values()).filter(kind -> kind.weight() > 0).toList());
  }

  @Test
  void faultsComeInTheOrderOfTimeWithinTheRun() {
    assertThat(schedule(3))
        .isSortedAccordingTo((a, b) -> a.at().compareTo(b.at()))
        .allSatisfy(entry -> assertThat(entry.at()).isLessThan(LENGTH));
  }

  @Test
  void onlyWantedFaultsArePlannedAndUnknownNamesAreRefused() {
    assertThat(schedule(1, "kill -9 engine"::equals))
        .hasSizeGreaterThan(100)
        .allSatisfy(entry -> assertThat(entry.fault().label()).isEqualTo("kill -9 engine"));
    assertThatThrownBy(() -> schedule(1, label -> false))
        .hasMessageContaining("kill -9 worker with router");
  }

  @Test
  void gatewaysAreHitOnlyIfThereAreAny() {
    assertThat(schedule(PoolSetup.STANDARD.withGateways(2)))
        .extracting(entry -> entry.fault().label())
        .contains(
            "kill -9 gateway",
            "kill -9 gateway with router with worker",
            "freeze gateway",
            "restart gateway");
    assertThat(schedule(PoolSetup.STANDARD))
        .extracting(entry -> entry.fault().label())
        .noneMatch(label -> label.contains("gateway"));
  }

  @Test
  void clocksThatCannotBeSkewedHereAreLeftAlone() {
    assertThat(
            FaultPlan.of(
                1, PoolSetup.STANDARD, LENGTH, EVERY, Set.of(Target.Role.BROKER), label -> true))
        .extracting(entry -> entry.fault().label())
        .contains("clock skew broker")
        .doesNotContain("clock skew router", "clock skew worker");
  }

  @Test
  void everyRequestOfARunHasAnIdOfItsOwn() {
    List<String> ids =
        Stream.concat(
                LoadPlan.of(1, LENGTH, 2, SIMULATED).stream(),
                schedule(1).stream().flatMap(entry -> entry.fault().requests().stream()))
            .map(PlannedRequest::id)
            .toList();
    assertThat(ids).doesNotHaveDuplicates();
  }

  @Test
  void faultsThatOnlySimulatedEnginesShowAreNotAskedOfRealOnes() {
    assertThat(schedule(REAL))
        .extracting(entry -> entry.fault().label())
        .contains("kill -9 API server", "kill -9 engine core", "restart engine")
        .noneMatch(label -> label.startsWith("engine "));
  }

  private static List<FaultPlan.Entry> schedule(PoolSetup setup) {
    return FaultPlan.of(1, setup, LENGTH, EVERY, ALL_CLOCKS, label -> true);
  }

  private static List<FaultPlan.Entry> schedule(long seed) {
    return schedule(seed, label -> true);
  }

  private static List<FaultPlan.Entry> schedule(long seed, Predicate<String> isWanted) {
    return FaultPlan.of(seed, PoolSetup.STANDARD, LENGTH, EVERY, ALL_CLOCKS, isWanted);
  }
}
