package io.sluice.simulator.fit;

import io.sluice.simulator.engine.timing.GpuProfile;
import io.sluice.simulator.engine.timing.GpuProfileBuilder;
import java.io.PrintWriter;
import java.util.List;

/**
 * A profile that was fitted to measurements of an engine.
 *
 * @param profile the profile
 * @param fit the terms that were fitted to the medians of the measurements
 * @param samples the measurements
 */
public record ProfileFit(GpuProfile profile, StepCostFit fit, List<Sample> samples) {

  /** The noise above which an engine was disturbed during the measurement. */
  private static final double MOST_NOISE = 0.5;

  /** Copies the list. */
  public ProfileFit {
    samples = List.copyOf(samples);
  }

  /**
   * Measures an idle engine. Takes minutes.
   *
   * @param name the name of the profile
   * @param rounds how often everything is measured
   * @param largestBatch the largest number of concurrent streams
   * @param out receives the progress
   * @throws IllegalStateException if the engine fails
   * @throws IllegalArgumentException if the engine is too small for enough measurements
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

  /** Returns whether the times vary more than those of an undisturbed engine. */
  public boolean isNoisy() {
    return profile.noiseSigma() >= MOST_NOISE;
  }

  private static GpuProfile profile(
      EngineFacts facts, String name, StepCostFit fit, double noiseSigma) {
    return GpuProfileBuilder.builder()
        .wireName(name)
        .cost(fit.cost())
        .requestMillis(fit.requestMillis())
        .bytesPerParameter(1)
        .kvBlocks(facts.kvBlocks())
        .blockTokens(facts.blockTokens())
        .maxNumBatchedTokens(facts.maxNumBatchedTokens())
        .maxNumSeqs(facts.maxNumSeqs())
        .maxModelLen(facts.maxModelLen())
        .noiseSigma(Math.min(noiseSigma, MOST_NOISE))
        .measured(true)
        .build();
  }
}
