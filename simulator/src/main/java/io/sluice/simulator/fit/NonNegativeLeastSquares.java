package io.sluice.simulator.fit;

import java.util.stream.IntStream;
import org.apache.commons.math3.linear.Array2DRowRealMatrix;
import org.apache.commons.math3.linear.ArrayRealVector;
import org.apache.commons.math3.linear.QRDecomposition;
import org.apache.commons.math3.linear.RealMatrix;
import org.apache.commons.math3.linear.RealVector;
import org.apache.commons.math3.linear.SingularMatrixException;

/**
 * Finds the non-negative coefficients with the least sum of squared errors.
 *
 * <p>At the optimum, the coefficients that are not 0 are the plain least-squares solution of their
 * columns alone. Since there are only a few columns here, all their subsets are tried.
 */
final class NonNegativeLeastSquares {

  private static final int MOST_COLUMNS = 10;
  private static final double SINGULAR = 1e-12;

  private NonNegativeLeastSquares() {}

  /**
   * Solves {@code rows * x = values}.
   *
   * @throws IllegalArgumentException if there are no rows, or more than 10 columns
   */
  static double[] solve(double[][] rows, double[] values) {
    if (rows.length == 0 || rows[0].length > MOST_COLUMNS) {
      throw new IllegalArgumentException("Nothing to solve, or too many columns.");
    }
    int columns = rows[0].length;
    double[] best = new double[columns];
    double least = squaredError(rows, values, best);
    for (int subset = 1; subset < 1 << columns; subset++) {
      double[] candidate = solve(rows, values, subset);
      double error = squaredError(rows, values, candidate);
      if (isNonNegative(candidate) && error < least) {
        best = candidate;
        least = error;
      }
    }
    return best;
  }

  /** Solves plain least squares for the columns whose bit is set; the other coefficients are 0. */
  private static double[] solve(double[][] rows, double[] values, int subset) {
    int[] chosen = chosen(subset);
    double[] all = new double[rows[0].length];
    if (chosen.length > rows.length) {
      return all;
    }
    RealMatrix matrix = new Array2DRowRealMatrix(rows.length, chosen.length);
    for (int row = 0; row < rows.length; row++) {
      for (int i = 0; i < chosen.length; i++) {
        matrix.setEntry(row, i, rows[row][chosen[i]]);
      }
    }
    try {
      RealVector solution =
          new QRDecomposition(matrix, SINGULAR).getSolver().solve(new ArrayRealVector(values));
      for (int i = 0; i < chosen.length; i++) {
        all[chosen[i]] = solution.getEntry(i);
      }
      return all;
    } catch (SingularMatrixException e) {
      // Singular: a subset of these columns explains the values equally well.
      return new double[rows[0].length];
    }
  }

  private static int[] chosen(int subset) {
    return IntStream.range(0, Integer.SIZE).filter(column -> (subset & 1 << column) != 0).toArray();
  }

  private static boolean isNonNegative(double[] values) {
    for (double value : values) {
      if (!(value >= 0)) {
        return false;
      }
    }
    return true;
  }

  private static double squaredError(double[][] rows, double[] values, double[] coefficients) {
    double sum = 0;
    for (int row = 0; row < rows.length; row++) {
      double error = -values[row];
      for (int column = 0; column < coefficients.length; column++) {
        error += rows[row][column] * coefficients[column];
      }
      sum += error * error;
    }
    return sum;
  }
}
