package io.sluice.simulator.fit;

import io.sluice.simulator.engine.timing.StepCost;
import java.util.List;

/**
 * The terms of the step time that explain the samples best, and the time of a request in addition
 * to its steps.
 *
 * <p>The fit minimizes the sum of the absolute relative errors and not of their squares, so that a
 * disturbed sample does not distort the others: it repeats least squares with less weight for
 * outliers. Errors are relative to the larger one of the measured and the fitted time, so that a
 * time that is far too short counts no more than one that is far too long.
 *
 * @param cost the terms
 * @param requestMillis the time for HTTP and tokenization
 */
public record StepCostFit(StepCost cost, double requestMillis) {

  private static final int ROUNDS = 30;

  /** Relative errors below this value are treated as equal. */
  private static final double EXACT = 1e-3;

  private static final double SHORTEST_MILLIS = 1e-6;

  /** A front-end term is accepted only if it reduces the error by at least this factor. */
  private static final double CLEARLY_BETTER = 0.8;

  /** A front-end term needs at least this number of samples. */
  private static final int FEWEST_FRONT_END = 3;

  /**
   * Fits the terms.
   *
   * @throws IllegalArgumentException if there are not enough samples of both kinds
   */
  static StepCostFit of(List<Sample> samples) {
    if (samples.stream().filter(Sample::wholeRequest).count() < 2
        || samples.stream().filter(sample -> !sample.wholeRequest()).count() < 3) {
      throw new IllegalArgumentException(
          "Too few samples to fit a step time: the engine needs room for more or longer sequences.");
    }
    StepCostFit best = linear(samples, 0);
    double least = CLEARLY_BETTER * best.meanError(samples);
    for (int sequences : batchSizes(samples)) {
      StepCostFit candidate = withFrontEndFrom(samples, sequences);
      double error = candidate.meanError(samples);
      if (error < least) {
        best = candidate;
        least = error;
      }
    }
    return best;
  }

  /** Returns the time that the terms predict for a sample. */
  public double millis(Sample sample) {
    return (sample.wholeRequest() ? requestMillis : 0)
        + sample.steps() * cost.stepMillis(sample.work());
  }

  /**
   * Returns the relative error of a sample: above 0 if it took longer than predicted, below 0 if
   * shorter.
   */
  public double error(Sample sample) {
    return millis(sample) / sample.millis() - 1;
  }

  /** Returns the median of the absolute relative errors. */
  public double medianError(List<Sample> samples) {
    return Statistics.median(samples.stream().map(sample -> Math.abs(error(sample))).toList());
  }

  private double meanError(List<Sample> samples) {
    return Statistics.mean(
        samples.stream()
            .map(
                sample -> {
                  double fitted = millis(sample);
                  return Math.abs(fitted - sample.millis()) / Math.max(fitted, sample.millis());
                })
            .toList());
  }

  private static List<Integer> batchSizes(List<Sample> samples) {
    return samples.stream()
        .filter(sample -> !sample.wholeRequest())
        .map(Sample::decodeSequences)
        .distinct()
        .sorted()
        .toList();
  }

  /**
   * Fits under the assumption that from some batch size on the front end determines the time of a
   * decode step.
   */
  private static StepCostFit withFrontEndFrom(List<Sample> samples, int sequences) {
    List<Sample> held = samples.stream().filter(sample -> holds(sample, sequences)).toList();
    List<Sample> free = samples.stream().filter(sample -> !holds(sample, sequences)).toList();
    if (held.size() < FEWEST_FRONT_END
        || free.stream().filter(s -> !s.wholeRequest()).count() < 3) {
      return linear(samples, 0);
    }
    double perToken =
        Statistics.median(
            held.stream().map(sample -> sample.millis() / sample.decodeSequences()).toList());
    return linear(free, perToken);
  }

  private static boolean holds(Sample sample, int sequences) {
    return !sample.wholeRequest() && sample.decodeSequences() >= sequences;
  }

  private static StepCostFit linear(List<Sample> samples, double frontEndMillis) {
    double typical = Statistics.median(samples.stream().map(Sample::millis).toList());
    double[] weights =
        samples.stream().mapToDouble(sample -> 1 / Math.max(sample.millis(), typical)).toArray();
    StepCostFit fit = weighted(samples, weights, frontEndMillis);
    for (int round = 0; round < ROUNDS; round++) {
      for (int i = 0; i < weights.length; i++) {
        double measured = samples.get(i).millis();
        double fitted = fit.linearMillis(samples.get(i));
        double scale = Math.max(SHORTEST_MILLIS, Math.max(measured, fitted));
        double error = Math.max(EXACT, Math.abs(fitted - measured) / scale);
        weights[i] = 1 / scale / Math.sqrt(error);
      }
      fit = weighted(samples, weights, frontEndMillis);
    }
    return fit;
  }

  /** Returns the predicted time of a sample if the front end were never the slower one. */
  private double linearMillis(Sample sample) {
    double[] row = row(sample);
    return row[0] * cost.baseMillis()
        + row[1] * cost.prefillTokenMillis()
        + row[2] * cost.prefillKvTokenMillis()
        + row[3] * cost.decodeSequenceMillis()
        + row[4] * cost.kvTokenMillis()
        + row[5] * requestMillis;
  }

  private static StepCostFit weighted(
      List<Sample> samples, double[] weights, double frontEndMillis) {
    double[][] rows = new double[samples.size()][];
    double[] values = new double[samples.size()];
    for (int i = 0; i < rows.length; i++) {
      rows[i] = row(samples.get(i));
      for (int column = 0; column < rows[i].length; column++) {
        rows[i][column] *= weights[i];
      }
      values[i] = samples.get(i).millis() * weights[i];
    }
    double[] terms = NonNegativeLeastSquares.solve(rows, values);
    return new StepCostFit(
        new StepCost(terms[0], terms[1], terms[2], terms[3], terms[4], frontEndMillis), terms[5]);
  }

  private static double[] row(Sample sample) {
    return new double[] {
      sample.steps(),
      sample.prefillTokens(),
      sample.prefillReads(),
      sample.decodeSequences(),
      sample.kvTokens(),
      sample.wholeRequest() ? 1 : 0
    };
  }
}
