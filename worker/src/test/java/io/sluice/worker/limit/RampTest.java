package io.sluice.worker.limit;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.worker.testing.ManualTime;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class RampTest {
  private final ManualTime time = new ManualTime();
  private final Ramp ramp = new Ramp(() -> 80, Duration.ofSeconds(30), time);

  @Test
  void aLimitIsFullUnlessARampHasBegun() {
    assertThat(ramp.limit()).isEqualTo(80);
  }

  @Test
  void theLimitRisesEvenlyFromAnEighth() {
    ramp.begin();
    assertThat(ramp.limit()).isEqualTo(10);

    time.advance(Duration.ofSeconds(15));
    assertThat(ramp.limit()).isEqualTo(45);

    time.advance(Duration.ofSeconds(15));
    assertThat(ramp.limit()).isEqualTo(80);
  }

  @Test
  void aSmallLimitIsNeverZero() {
    var small = new Ramp(() -> 2, Duration.ofSeconds(30), time);
    small.begin();

    assertThat(small.limit()).isOne();
  }
}
