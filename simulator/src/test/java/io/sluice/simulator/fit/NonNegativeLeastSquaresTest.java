package io.sluice.simulator.fit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

class NonNegativeLeastSquaresTest {

  @Test
  void coefficientsAreRecoveredFromTheValuesComputedWithThem() {
    double[] coefficients = {7, 0, 0.04, 2e-4};
    SplittableRandom random = new SplittableRandom(1);
    double[][] rows = new double[12][];
    double[] values = new double[rows.length];
    for (int i = 0; i < rows.length; i++) {
      rows[i] = new double[] {1, random.nextInt(2000), random.nextInt(64), random.nextInt(50_000)};
      for (int column = 0; column < coefficients.length; column++) {
        values[i] += rows[i][column] * coefficients[column];
      }
    }

    assertThat(NonNegativeLeastSquares.solve(rows, values))
        .containsExactly(coefficients, within(1e-9));
  }

  @Test
  void aCoefficientThatWouldBeNegativeIsZeroAndTheOthersAreOptimalWithoutIt() {
    // Plain least squares: 3 - x. Without the slope the mean is best.
    double[][] rows = {{1, 0}, {1, 1}, {1, 2}};

    double[] solution = NonNegativeLeastSquares.solve(rows, new double[] {3, 2, 1});

    assertThat(solution).containsExactly(new double[] {2, 0}, within(1e-12));
  }

  @Test
  void linearlyDependentColumnsAreAccepted() {
    double[][] rows = {{1, 2}, {2, 4}, {3, 6}};

    double[] solution = NonNegativeLeastSquares.solve(rows, new double[] {2, 4, 6});

    assertThat(solution[0] + 2 * solution[1]).isCloseTo(2, within(1e-12));
  }

  @Test
  void withoutRowsThereIsNothingToSolve() {
    assertThatThrownBy(() -> NonNegativeLeastSquares.solve(new double[0][], new double[0]))
        .isInstanceOf(IllegalArgumentException.class);
  }
}
