package io.sluice.bench.fleet.autoscale;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.IntToDoubleFunction;
import org.junit.jupiter.api.Test;

class ReplicaControllerTest {
  private static final int SYNC_SECONDS = 15;

  private final ReplicaController controller =
      new ReplicaController(
          new ReplicaController.Behavior(
              8,
              Duration.ofMinutes(15),
              new ReplicaController.Policy(2, Duration.ofMinutes(1)),
              new ReplicaController.Policy(1, Duration.ofMinutes(3)),
              Duration.ofMinutes(10)));

  private int seconds;
  private int replicas;

  @Test
  void theFirstWorkerStartsAtOnceAndTheOthersTwoAMinute() {
    assertThat(follow(150, at -> 7.5)).containsExactly(1, 3, 3, 3, 3, 5, 5, 5, 5, 7);
  }

  @Test
  void withinATenthNothingChanges() {
    // Given
    follow(600, at -> 4);

    // Then
    assertThat(follow(600, at -> 4.39)).containsOnly(4);
    assertThat(follow(60, at -> 4.5)).endsWith(5);
  }

  @Test
  void aLullThatIsShorterThanTheWindowStopsNoWorker() {
    // Given
    follow(600, at -> 4);

    // Then
    assertThat(follow(585, at -> 1)).containsOnly(4);
    assertThat(follow(15, at -> 4)).containsOnly(4);
  }

  @Test
  void afterTheWindowWorkersStopOneInThreeMinutesAndTheLastAfterTheCooldown() {
    // Given
    follow(600, at -> 3);

    // When
    List<Integer> after = follow(1_800, at -> 0);

    // Then
    assertThat(after.getLast()).isZero();
    assertThat(after.indexOf(2) * SYNC_SECONDS).isBetween(585, 615);
    assertThat((after.indexOf(1) - after.indexOf(2)) * SYNC_SECONDS).isBetween(180, 195);
    assertThat(after.indexOf(0) * SYNC_SECONDS).isBetween(885, 930);
  }

  private List<Integer> follow(int forSeconds, IntToDoubleFunction workers) {
    List<Integer> all = new ArrayList<>();
    for (int end = seconds + forSeconds; seconds < end; seconds += SYNC_SECONDS) {
      replicas =
          controller.next(
              Duration.ofSeconds(seconds).toNanos(), replicas, workers.applyAsDouble(seconds));
      all.add(replicas);
    }
    return all;
  }
}
