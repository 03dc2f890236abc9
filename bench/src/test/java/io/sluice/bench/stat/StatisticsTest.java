package io.sluice.bench.stat;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import org.junit.jupiter.api.Test;

class StatisticsTest {

  @Test
  void the_interval_of_a_few_runs_is_students() {
    Interval interval = Interval.of(1, 2, 3, 4, 5);

    assertThat(interval.mean()).isEqualTo(3);
    // t of 4 degrees of freedom is 2.776, the standard error sqrt(2.5 / 5).
    assertThat(interval.half()).isCloseTo(2.776 * Math.sqrt(0.5), within(1e-3));
  }

  @Test
  void a_single_run_proves_nothing() {
    assertThat(Interval.of(5).isPositive()).isFalse();
    assertThat(Interval.of(5).half()).isInfinite();
  }

  @Test
  void differences_of_the_same_seeds_leave_out_what_seeds_have_in_common() {
    double[] runs = {10, 200, 3000};
    double[] others = {9, 199, 2999};

    assertThat(Interval.ofDifferences(runs, others).isPositive()).isTrue();
    assertThat(Interval.ofDifferences(others, runs).isNegative()).isTrue();
  }

  @Test
  void percentiles_are_those_of_the_nearest_rank() {
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
  void a_histogram_is_right_within_a_percent() {
    DurationHistogram histogram = new DurationHistogram();
    for (int millis = 1; millis <= 1000; millis++) {
      histogram.add(millis * 1_000_000L);
    }

    assertThat(histogram.percentileMillis(99)).isCloseTo(990, within(9.9));
    assertThat(new DurationHistogram().percentileMillis(99)).isZero();
  }
}
