package io.sluice.simulator.fit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;
import static org.assertj.core.api.Assertions.withinPercentage;

import io.sluice.simulator.engine.timing.StepCost;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

class StepCostFitTest {

  private static final int BUDGET = 2048;
  private static final StepCost KNOWN = new StepCost(6, 0.07, 3e-5, 0.3, 2e-4, 0);
  private static final double REQUEST_MILLIS = 4;

  @Test
  void samplesFromAProfileFitThatProfile() {
    StepCostFit fit = StepCostFit.of(samples(KNOWN));

    assertCost(fit.cost(), KNOWN, 1e-4);
    assertThat(fit.cost().frontEndTokenMillis()).isZero();
    assertThat(fit.requestMillis()).isCloseTo(REQUEST_MILLIS, within(1e-3));
    assertThat(fit.medianError(samples(KNOWN))).isLessThan(1e-4);
  }

  @Test
  void promptsThatTakeSeveralStepsPayForEachStep() {
    Sample two = Sample.prompt(3000, BUDGET, 1);

    assertThat(two.steps()).isEqualTo(2);
    assertThat(new StepCostFit(KNOWN, REQUEST_MILLIS).millis(two))
        .isCloseTo(4 + 2 * 6 + 3000 * 0.07 + 3000 * 3000 / 2 * 3e-5, within(1e-9));
  }

  @Test
  void aFrontEndThatLimitsLargeBatchesIsDetected() {
    StepCost known = new StepCost(5, 0.03, 1e-5, 0.02, 1e-5, 0.4);

    StepCostFit fit = StepCostFit.of(samples(known));

    assertThat(fit.cost().frontEndTokenMillis()).isCloseTo(0.4, within(1e-6));
    assertCost(fit.cost(), known, 1e-3);
  }

  @Test
  void aFewDisturbedSamplesDoNotChangeTheFit() {
    SplittableRandom random = new SplittableRandom(7);
    List<Sample> disturbed = new ArrayList<>();
    for (Sample sample : samples(KNOWN)) {
      double factor =
          switch (disturbed.size() % 12) {
            case 5 -> 3;
            case 11 -> 1e-4;
            default -> 1 + random.nextDouble(-0.02, 0.02);
          };
      disturbed.add(withMillis(sample, sample.millis() * factor));
    }

    StepCostFit fit = StepCostFit.of(disturbed);

    assertCost(fit.cost(), KNOWN, 0.08);
  }

  @Test
  void tooFewSamplesAreRejected() {
    assertThatThrownBy(() -> StepCostFit.of(samples(KNOWN).subList(0, 3)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("Too few samples");
  }

  private static void assertCost(StepCost fitted, StepCost known, double tolerance) {
    double percent = 100 * tolerance;
    assertThat(fitted.baseMillis()).isCloseTo(known.baseMillis(), withinPercentage(percent));
    assertThat(fitted.prefillTokenMillis())
        .isCloseTo(known.prefillTokenMillis(), withinPercentage(percent));
    assertThat(fitted.prefillKvTokenMillis())
        .isCloseTo(known.prefillKvTokenMillis(), withinPercentage(percent));
    assertThat(fitted.decodeSequenceMillis())
        .isCloseTo(known.decodeSequenceMillis(), withinPercentage(percent));
    assertThat(fitted.kvTokenMillis()).isCloseTo(known.kvTokenMillis(), withinPercentage(percent));
  }

  /** Returns the measurement that an engine with these costs would give. */
  private static List<Sample> samples(StepCost cost) {
    StepCostFit truth = new StepCostFit(cost, REQUEST_MILLIS);
    List<Sample> samples = new ArrayList<>();
    for (int tokens : new int[] {16, 64, 256, 1024, 2040, 4000}) {
      Sample sample = Sample.prompt(tokens, BUDGET, 1);
      samples.add(withMillis(sample, truth.millis(sample)));
    }
    for (int context : new int[] {40, 400, 1500}) {
      for (int sequences = 1; sequences <= 64; sequences *= 2) {
        Sample sample = Sample.decode(sequences, (double) context * sequences, 1);
        samples.add(withMillis(sample, truth.millis(sample)));
      }
    }
    return samples;
  }

  private static Sample withMillis(Sample sample, double millis) {
    return new Sample(
        sample.kind(),
        sample.steps(),
        sample.prefillTokens(),
        sample.decodeSequences(),
        sample.kvTokens(),
        millis);
  }
}
