package io.sluice.simulator.fit;

import io.sluice.simulator.engine.GpuProfile;
import java.io.PrintWriter;
import java.util.List;
import java.util.Locale;

/**
 * A profile that was made by measuring an engine.
 *
 * @param profile the profile
 * @param fit the terms by the medians of the measurements
 * @param samples the measurements
 */
public record ProfileFit(GpuProfile profile, StepCostFit fit, List<Sample> samples) {

  /** An engine that is noisier than this was disturbed. */
  private static final double MOST_NOISE = 0.5;

  /** Copies the list. */
  public ProfileFit {
    samples = List.copyOf(samples);
  }

  /**
   * Measures an engine, which must have nothing else to do. Takes minutes.
   *
   * @param name of the profile
   * @param rounds how often everything is measured
   * @param largestBatch the most streams at once
   * @param out is told how far it is
   * @throws IllegalStateException if the engine fails
   * @throws IllegalArgumentException if it is too small for enough measurements
   */
  public static ProfileFit of(
      MeasuredEngine engine,
      EngineFacts facts,
      String name,
      int rounds,
      int largestBatch,
      PrintWriter out) {
    Measurement measurement =
        new Measurement(
            engine,
            facts,
            System.nanoTime(),
            progress -> {
              out.println(progress);
              out.flush();
            });
    Measurement.Result measured = measurement.run(rounds, largestBatch);
    StepCostFit fit = StepCostFit.of(measured.samples());
    return new ProfileFit(
        profile(facts, name, fit, measured.noiseSigma()), fit, measured.samples());
  }

  /** Prints each measurement beside what the profile makes of it. */
  public void print(PrintWriter out) {
    out.printf("%-44s %10s %10s %6s%n", "", "measured", "fitted", "");
    for (Sample sample : samples) {
      out.printf(
          Locale.ROOT,
          "%-44s %7.2f ms %7.2f ms %+5.0f %%%n",
          sample.wholeRequest()
              ? "prompt of %d tokens, first token".formatted(sample.prefillTokens())
              : String.format(
                  Locale.ROOT,
                  "decode step of %d, %.0f tokens in cache",
                  sample.decodeSequences(),
                  sample.kvTokens()),
          sample.millis(),
          fit.millis(sample),
          100 * fit.error(sample));
    }
    out.printf(Locale.ROOT, "error in the median: %.0f %%%n", 100 * fit.medianError(samples));
    if (profile.noiseSigma() >= MOST_NOISE) {
      out.println(
          "The times scatter by more than an engine does by itself: measure again when it, and the machine, have nothing else to do.");
    }
    out.flush();
  }

  private static GpuProfile profile(
      EngineFacts facts, String name, StepCostFit fit, double noiseSigma) {
    return new GpuProfile(
        name,
        fit.cost(),
        fit.requestMillis(),
        1,
        facts.kvBlocks(),
        facts.blockTokens(),
        facts.maxNumBatchedTokens(),
        facts.maxNumSeqs(),
        facts.maxModelLen(),
        Math.min(noiseSigma, MOST_NOISE),
        true);
  }
}
