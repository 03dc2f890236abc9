package io.sluice.bench.arrival;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

final class ArrivalProcessTest {
  private static final int COUNT = 10_000;

  @Test
  void evenOnesComeAtEqualDistances() {
    assertThat(ArrivalProcess.EVEN.nanos(50, 4, 1))
        .containsExactly(0, 20_000_000, 40_000_000, 60_000_000);
  }

  @Test
  void independentOnesComeInOrderAndAtTheRateOnAverage() {
    long[] nanos = ArrivalProcess.POISSON.nanos(50, COUNT, 1);
    assertThat(nanos).isSorted();
    double seconds = (double) nanos[COUNT - 1] / TimeUnit.SECONDS.toNanos(1);
    assertThat(COUNT / seconds).isCloseTo(50, within(2.5));
  }

  @Test
  void equalSeedsGiveEqualTimes() {
    long[] again = ArrivalProcess.POISSON.nanos(50, COUNT, 7);
    assertThat(ArrivalProcess.POISSON.nanos(50, COUNT, 7))
        .isEqualTo(again)
        .isNotEqualTo(ArrivalProcess.POISSON.nanos(50, COUNT, 8));
  }
}
