package io.sluice.bench.report;

import java.util.Arrays;
import java.util.List;
import java.util.function.ToDoubleFunction;

/**
 * One figure of several runs. Immutable.
 *
 * @param values of the runs, in their order; may be infinite, such as the time to the first token
 *     of what was refused
 */
public record Runs(double[] values) {
  /**
   * Creates the figure.
   *
   * @throws IllegalArgumentException if there is no run
   */
  public Runs {
    if (values.length == 0) {
      throw new IllegalArgumentException("A figure needs at least one run.");
    }
    values = values.clone();
  }

  /** Returns the figure of runs, in their order. */
  public static <T> Runs of(List<T> runs, ToDoubleFunction<? super T> figure) {
    return new Runs(runs.stream().mapToDouble(figure).toArray());
  }

  @Override
  public double[] values() {
    return values.clone();
  }

  double least() {
    return sorted()[0];
  }

  /** Returns the mean of the two in the middle, if their count is even. */
  public double median() {
    double[] sorted = sorted();
    return (sorted[(sorted.length - 1) / 2] + sorted[sorted.length / 2]) / 2;
  }

  double most() {
    return sorted()[values.length - 1];
  }

  private double[] sorted() {
    return Arrays.stream(values).sorted().toArray();
  }
}
