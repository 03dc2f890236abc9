package io.sluice.bench.stat;

import java.util.Arrays;
import java.util.Locale;
import org.apache.commons.math3.distribution.TDistribution;

/**
 * A mean and its 95 % confidence interval, by Student's t distribution, which fits a few
 * independent runs.
 *
 * @param mean the mean of the runs
 * @param half half of the interval's width; infinite for a single run, which has no interval
 */
public record Interval(double mean, double half) {
  private static final double UPPER = 0.975;

  /**
   * Returns the interval of a number of runs.
   *
   * @throws IllegalArgumentException if there are none
   */
  public static Interval of(double... runs) {
    if (runs.length == 0) {
      throw new IllegalArgumentException("An interval needs at least one run.");
    }
    double mean = Arrays.stream(runs).average().orElseThrow();
    if (runs.length == 1) {
      return new Interval(mean, Double.POSITIVE_INFINITY);
    }
    double squares = Arrays.stream(runs).map(run -> (run - mean) * (run - mean)).sum();
    double error = Math.sqrt(squares / (runs.length - 1) / runs.length);
    double t = new TDistribution(runs.length - 1).inverseCumulativeProbability(UPPER);
    return new Interval(mean, t * error);
  }

  /** Returns the interval of the differences between runs of the same seeds. */
  public static Interval ofDifferences(double[] runs, double[] others) {
    double[] differences = new double[runs.length];
    for (int i = 0; i < runs.length; i++) {
      differences[i] = runs[i] - others[i];
    }
    return of(differences);
  }

  /**
   * Returns the mean, and behind {@code ±} half of the interval's width if it has one.
   *
   * @param format of a number for {@link String#format}, such as {@code "%.1f"}
   */
  public String text(String format) {
    String text = String.format(Locale.ROOT, format, mean);
    return Double.isInfinite(half) ? text : text + " ±" + String.format(Locale.ROOT, format, half);
  }

  /** Returns whether the whole interval is above 0. */
  public boolean isPositive() {
    return mean - half > 0;
  }

  /** Returns whether the whole interval is below 0. */
  public boolean isNegative() {
    return mean + half < 0;
  }
}
