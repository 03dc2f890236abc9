package io.sluice.bench.load;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.time.Duration;
import java.util.Comparator;
import org.junit.jupiter.api.Test;

class PlanTest {
  private static final Plan.Shape SHAPE = new Plan.Shape(40, 20);

  private static Plan plan(long seed) {
    return Plan.of(SHAPE, 50, Duration.ofSeconds(10), Duration.ofSeconds(90), seed);
  }

  @Test
  void equalSeedsGiveEqualRequests() {
    assertThat(plan(1)).isEqualTo(plan(1)).isNotEqualTo(plan(2));
  }

  @Test
  void requestsComeAtTheRateAndAreMeasuredAfterTheWarmUp() {
    var requests = plan(1).requests();

    assertThat((double) requests.size()).isCloseTo(5_000, within(250.0));
    assertThat(requests).isSortedAccordingTo(Comparator.comparingLong(Plan.Planned::dueNanos));
    assertThat(requests)
        .allMatch(one -> one.isMeasured() == one.dueNanos() >= Duration.ofSeconds(10).toNanos())
        .allMatch(one -> one.dueNanos() < Duration.ofSeconds(100).toNanos());
  }

  @Test
  void lengthsAreHalfMoreOrLess() {
    var requests = plan(1).requests();

    assertThat(requests)
        .allMatch(one -> one.outputTokens() >= 10 && one.outputTokens() <= 30)
        .allMatch(one -> one.prompt().split(" ").length >= 20)
        .allMatch(one -> one.prompt().split(" ").length <= 60);
    assertThat(requests.stream().mapToInt(Plan.Planned::outputTokens).average().orElse(0))
        .isCloseTo(20, within(1.0));
  }
}
