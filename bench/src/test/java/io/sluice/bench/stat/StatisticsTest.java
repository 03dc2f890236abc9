package io.sluice.bench.stat;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import org.junit.jupiter.api.Test;

class StatisticsTest {

  @Test
  void theIntervalOfAFewRunsIsStudents() {
    Interval interval = Interval.of(1, 2, 3, 4, 5);

    assertThat(interval.mean()).isEqualTo(3);
    // t of 4 degrees of freedom is 2.776, the standard error sqrt(2.5 / 5).
    assertThat(interval.half()).isCloseTo(2.776 * Math.sqrt(0.5), within(1e-3));
  }

  @Test
  void aSingleRunProvesNothing() {
    assertThat(Interval.of(5).isPositive()).isFalse();
    assertThat(Interval.of(5).half()).isInfinite();
  }

  @Test
  void differencesOfTheSameSeedsLeaveOutWhatSeedsHaveInCommon() {
    double[] runs = {10, 200, 3000};
    double[] others = {9, 199, 2999};

    assertThat(Interval.ofDifferences(runs, others).isPositive()).isTrue();
    assertThat(Interval.ofDifferences(others, runs).isNegative()).isTrue();
  }

  @Test
  void percentilesAreThoseOfTheNearestRank() {
    Samples samples = new Samples();
    for (int i = 1000; i >= 1; i--) {
      samples.add(i);
    }

    assertThat(samples.percentile(50)).isEqualTo(500);
    assertThat(samples.percentile(95)).isEqualTo(950);
    assertThat(samples.percentile(100)).isEqualTo(1000);
    assertThat(new Samples().percentile(50)).isZero();
  }

  @Test
  void aHistogramIsRightWithinAPercent() {
    DurationHistogram histogram = new DurationHistogram();
    for (int millis = 1; millis <= 1000; millis++) {
      histogram.add(millis * 1_000_000L);
    }

    assertThat(histogram.percentileMillis(99)).isCloseTo(990, within(9.9));
    assertThat(new DurationHistogram().percentileMillis(99)).isZero();
  }
}
