package io.sluice.worker.clock;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.worker.testing.ManualTime;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class BrokerClockTest {
  private final ManualTime time = new ManualTime();
  private final BrokerClock clock = new BrokerClock(time, time);

  @Test
  void untilSomethingIsKnownItIsTheLocalClock() {
    assertThat(clock.millis()).isEqualTo(time.millis());
  }

  @Test
  void theQuickestAcknowledgementTellsTheDifference() {
    long skew = 10_000;
    clock.observe(time.millis() - skew - 40);
    clock.observe(time.millis() - skew - 3);
    clock.observe(time.millis() - skew - 500);

    assertThat(clock.millis()).isEqualTo(time.millis() - skew - 3);
  }

  @Test
  void aSkewedClockMakesNothingOlder() {
    long skew = -3_600_000;
    clock.observe(time.millis() - skew);

    assertThat(clock.age(time.millis() - skew - 100)).isEqualTo(Duration.ofMillis(100));
  }

  @Test
  void agesAreNeverNegative() {
    assertThat(clock.age(time.millis() + 5_000)).isZero();
  }

  @Test
  void aClockThatWasSetIsFollowedWithinTenMinutes() {
    clock.observe(time.millis());
    time.advance(Duration.ofMinutes(6));
    clock.observe(time.millis() - 7_000);
    time.advance(Duration.ofMinutes(6));
    clock.observe(time.millis() - 7_000);

    assertThat(clock.millis()).isEqualTo(time.millis() - 7_000);
  }

  @Test
  void recordsWithoutATimeSayNothing() {
    clock.observe(-1);

    assertThat(clock.millis()).isEqualTo(time.millis());
  }
}
