package io.sluice.bench.fleet.autoscale;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.bench.fleet.run.FleetRequest;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class ScalingPlanTest {
  private static final Duration START = Duration.ofMinutes(3);

  /** An engine does 10 tokens a second, so 600 a minute. */
  private static final double TOKENS_PER_SECOND = 10;

  @Test
  void aMinuteHasTheWorkersThatItsTokensTake() {
    assertThat(plan(600, 601, 2_400, 0, 0, 0, 0, 0).ready())
        .containsExactly(1, 2, 4, 1, 1, 1, 1, 1);
  }

  @Test
  void aWorkerIsKeptThroughAGapThatIsShorterThanItsStart() {
    assertThat(plan(1_800, 0, 0, 1_200, 0, 0, 0, 0, 1_200).ready())
        .containsExactly(3, 2, 2, 2, 1, 1, 1, 1, 2);
  }

  @Test
  void othersStartInTimeToBeReady() {
    ScalingPlan plan = plan(1, 1, 1, 1, 1, 1_200, 1, 1);

    assertThat(plan.replicas(Duration.ofSeconds(119).toNanos(), START)).isEqualTo(1);
    assertThat(plan.replicas(Duration.ofSeconds(120).toNanos(), START)).isEqualTo(2);
    assertThat(plan.replicas(Duration.ofSeconds(359).toNanos(), START)).isEqualTo(2);
    assertThat(plan.replicas(Duration.ofSeconds(360).toNanos(), START)).isEqualTo(1);
  }

  private static ScalingPlan plan(int... tokensByMinute) {
    List<FleetRequest> requests = new ArrayList<>();
    for (int minute = 0; minute < tokensByMinute.length; minute++) {
      if (tokensByMinute[minute] > 0) {
        long at = Duration.ofMinutes(minute).toNanos();
        requests.add(
            new FleetRequest(
                requests.size(), at, tokensByMinute[minute], 0, new long[0], 0, true, false));
      }
    }
    long length = Duration.ofMinutes(tokensByMinute.length).toNanos();
    return ScalingPlan.of(requests, length, TOKENS_PER_SECOND, 1, 8, START);
  }
}
