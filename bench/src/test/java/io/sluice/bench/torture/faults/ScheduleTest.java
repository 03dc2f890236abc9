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

class ScheduleTest {
  private static final Duration LENGTH = Duration.ofMinutes(10);
  private static final Duration EVERY = Duration.ofSeconds(4);

  private static final Engines SIMULATED = Engines.simulated();
  private static final PoolSetup REAL =
      PoolSetup.over(Engines.of(EngineKind.of(new EngineCommand("serve {port}"), "m", 2_048)), 2);

  private static final Set<Target.Role> ALL_CLOCKS =
      Set.of(Target.Role.BROKER, Target.Role.ROUTER, Target.Role.WORKER);

  @Test
  void equal_seeds_plan_the_same_blows_and_requests() {
    assertThat(schedule(7)).isEqualTo(schedule(7)).isNotEqualTo(schedule(8));
    assertThat(LoadPlan.of(7, LENGTH, 2, SIMULATED))
        .isEqualTo(LoadPlan.of(7, LENGTH, 2, SIMULATED));
  }

  @Test
  void a_long_run_has_blows_of_every_kind_and_requests_of_every_kind() {
    assertThat(
            Stream.concat(schedule(1).stream(), schedule(REAL).stream())
                .map(event -> event.blow().getClass())
                .distinct())
        .hasSize(Blow.class.getPermittedSubclasses().length);
    assertThat(
            LoadPlan.of(1, LENGTH, 2, SIMULATED).stream()
                .map(PlannedRequest::kind)
                .collect(Collectors.toSet()))
        .containsExactlyInAnyOrderElementsOf(
            Arrays.stream(RequestKind.values()).filter(kind -> kind.weight() > 0).toList());
  }

  @Test
  void blows_come_in_the_order_of_time_within_the_run() {
    assertThat(schedule(3))
        .isSortedAccordingTo((a, b) -> a.at().compareTo(b.at()))
        .allSatisfy(event -> assertThat(event.at()).isLessThan(LENGTH));
  }

  @Test
  void only_wanted_blows_are_planned_and_unknown_ones_refused() {
    assertThat(schedule(1, "kill -9 engine"::equals))
        .hasSizeGreaterThan(100)
        .allSatisfy(event -> assertThat(event.blow().label()).isEqualTo("kill -9 engine"));
    assertThatThrownBy(() -> schedule(1, label -> false))
        .hasMessageContaining("kill -9 worker with router");
  }

  @Test
  void clocks_that_cannot_be_skewed_here_are_left_alone() {
    assertThat(
            Schedule.of(
                1, PoolSetup.STANDARD, LENGTH, EVERY, Set.of(Target.Role.BROKER), label -> true))
        .extracting(event -> event.blow().label())
        .contains("skew broker")
        .doesNotContain("skew router", "skew worker");
  }

  @Test
  void every_request_of_a_run_has_an_id_of_its_own() {
    List<String> ids =
        Stream.concat(
                LoadPlan.of(1, LENGTH, 2, SIMULATED).stream(),
                schedule(1).stream().flatMap(event -> event.blow().requests().stream()))
            .map(PlannedRequest::id)
            .toList();
    assertThat(ids).doesNotHaveDuplicates();
  }

  @Test
  void faults_that_only_simulated_engines_show_are_not_asked_of_real_ones() {
    assertThat(schedule(REAL))
        .extracting(event -> event.blow().label())
        .contains("kill -9 API server", "kill -9 engine core", "restart engine")
        .noneMatch(label -> label.startsWith("engine "));
  }

  private static List<Schedule.Event> schedule(PoolSetup setup) {
    return Schedule.of(1, setup, LENGTH, EVERY, ALL_CLOCKS, label -> true);
  }

  private static List<Schedule.Event> schedule(long seed) {
    return schedule(seed, label -> true);
  }

  private static List<Schedule.Event> schedule(long seed, Predicate<String> isWanted) {
    return Schedule.of(seed, PoolSetup.STANDARD, LENGTH, EVERY, ALL_CLOCKS, isWanted);
  }
}
