package org.apache.kafka.common.utils;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.services.Main;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.common.errors.TimeoutException;
import org.junit.jupiter.api.Test;

class SystemTimeTest {
  private long nanos = -500_000_000;
  private final SystemTime time = new SystemTime(1_800_000_000_000L, () -> nanos);

  @Test
  void itRunsOnByTheMonotonicClockAlone() {
    nanos += TimeUnit.SECONDS.toNanos(90) + 999_999;

    assertThat(time.milliseconds()).isEqualTo(1_800_000_090_000L);
    assertThat(time.nanoseconds()).isEqualTo(nanos);
  }

  @Test
  void aConditionThatHoldsIsNotWaitedForAndOneThatIsOverdueFails() throws InterruptedException {
    time.waitObject(this, () -> true, 0);

    assertThatThrownBy(() -> time.waitObject(this, () -> false, time.milliseconds()))
        .isInstanceOf(TimeoutException.class);
  }

  @Test
  void itIsTheClockOfKafkasCode() {
    assertThat(Time.SYSTEM.getClass().getProtectionDomain().getCodeSource())
        .isEqualTo(Main.class.getProtectionDomain().getCodeSource());
  }
}
