package io.sluice.worker.limit;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.worker.testing.ManualTime;
import java.time.Duration;
import java.util.OptionalDouble;
import org.junit.jupiter.api.Test;

class HeatLimitTest {
  private final HeatLimit limit = new HeatLimit(() -> 100);

  @Test
  void theLimitIsFullWithoutHeat() {
    limit.raise();

    assertThat(limit.limit()).isEqualTo(100);
    assertThat(limit.share()).isEqualTo(1);
  }

  @Test
  void eachHotReadingTakesAFifthDownToAQuarter() {
    limit.lower();
    assertThat(limit.limit()).isEqualTo(80);
    limit.lower();
    assertThat(limit.limit()).isEqualTo(64);

    for (int i = 0; i < 10; i++) {
      limit.lower();
    }

    assertThat(limit.limit()).isEqualTo(25);
    assertThat(limit.share()).isEqualTo(0.25);
  }

  @Test
  void eachCoolReadingGivesATenthBack() {
    limit.lower();

    limit.raise();
    assertThat(limit.limit()).isEqualTo(88);
    limit.raise();
    assertThat(limit.limit()).isEqualTo(97);
    limit.raise();
    assertThat(limit.limit()).isEqualTo(100);
  }

  @Test
  void aSmallLimitIsNeverZero() {
    var small = new HeatLimit(() -> 1);
    small.lower();
    small.lower();
    small.lower();
    small.lower();

    assertThat(small.limit()).isOne();
  }

  @Test
  void aNewEngineOnAHotGpuRisesToWhatTheHeatLeaves() {
    var time = new ManualTime();
    var adaptive = new AdaptiveLimit(4, 80, 256, AdaptiveLimit.TARGET_MILLIS);
    var heat = new HeatLimit(adaptive::limit);
    var ramp = new Ramp(heat::limit, Duration.ofSeconds(30), time);
    heat.lower();

    ramp.begin();
    assertThat(ramp.limit()).isEqualTo(8);

    time.advance(Duration.ofSeconds(30));
    assertThat(ramp.limit()).isEqualTo(64);
  }

  /** The requests that the heat keeps out do not prove that a higher limit is possible. */
  @Test
  void theAdaptiveLimitStaysAsItIsWhileHeatBoundsTheRequests() {
    var adaptive = new AdaptiveLimit(4, 80, 256, AdaptiveLimit.TARGET_MILLIS);
    var heat = new HeatLimit(adaptive::limit);
    for (int i = 0; i < 10; i++) {
      heat.lower();
    }

    for (int i = 0; i < 50; i++) {
      adaptive.observe(
          new LimitWindow(heat.limit(), 0, OptionalDouble.of(20), OptionalDouble.of(0.2), 0, 1, 0));
    }

    assertThat(adaptive.limit()).isEqualTo(80);
    assertThat(heat.limit()).isEqualTo(20);
  }
}
