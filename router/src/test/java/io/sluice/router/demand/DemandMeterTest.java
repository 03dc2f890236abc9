package io.sluice.router.demand;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.common.protocol.Priority;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class DemandMeterTest {
  private static final DemandKey KEY = new DemandKey("llama", "fast", false);
  private static final DemandKey BULK = new DemandKey("llama", "fast", true);

  private final DemandMeter meter = new DemandMeter();

  @Test
  void aRequestThatSeveralTiersMayServeCountsForItsBestTierOnly() {
    List<String> tiers = List.of("balanced", "precise", "fast");

    assertThat(DemandKey.of("m", tiers, Priority.URGENT))
        .isEqualTo(new DemandKey("m", "balanced", false));
    assertThat(DemandKey.of("m", List.of(), Priority.BULK))
        .isEqualTo(new DemandKey("m", DemandKey.NO_TIER, true));
  }

  @Test
  void itTellsTheLeastSlackAndForgetsWhatIsGone() {
    // Given
    meter.add(KEY, 100, 90_000);
    meter.add(KEY, 200, 30_400);
    meter.add(BULK, 1_000, 3_600_000);

    // Then
    assertThat(meter.sums(10_000).get(KEY)).isEqualTo(new DemandMeter.Sum(2, 300, 20_000, 3.75));

    // When
    meter.remove(KEY, 200, 30_400);

    // Then
    assertThat(meter.sums(10_000).get(KEY).slackMillis()).isEqualTo(80_000);

    // When
    meter.remove(KEY, 100, 90_000);

    // Then
    assertThat(meter.sums(10_000)).containsOnlyKeys(BULK);
  }

  @Test
  void theNeededSpeedIsThatOfTheMostPressingDeadline() {
    // Given 600 tokens within a minute, and 12,000 within ten
    meter.add(BULK, 600, 60_000);
    meter.add(BULK, 11_400, 600_000);

    // Then
    assertThat(needed(0)).isEqualTo(20);

    // When nothing is done for five minutes, the deadlines that have passed count too
    assertThat(needed(300_000)).isEqualTo(40);
  }

  @Test
  void aRequestThatIsNearlyLateIsNotAPeak() {
    meter.add(KEY, 6_000, 1_000);

    assertThat(meter.sums(999)).isEqualTo(Map.of(KEY, new DemandMeter.Sum(1, 6_000, 1, 100)));
  }

  private double needed(long nowMillis) {
    return meter.sums(nowMillis).get(BULK).neededTokensPerSecond();
  }
}
