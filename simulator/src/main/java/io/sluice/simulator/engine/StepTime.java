package io.sluice.simulator.engine;

import java.util.Random;

/**
 * The time that steps take on a GPU: the profile's formula, multiplied by lognormal noise with a
 * seed and divided by a speed factor. Not thread-safe.
 */
final class StepTime {

  private final GpuProfile profile;
  private final double speed;
  private final double noiseSigma;
  private final Random random;

  StepTime(GpuProfile profile, double speed, double noiseSigma, long seed) {
    this.profile = profile;
    this.speed = speed;
    this.noiseSigma = noiseSigma;
    this.random = new Random(seed);
  }

  long nanos(int prefillTokens, int decodeSequences, long kvTokens) {
    double millis = profile.stepMillis(prefillTokens, decodeSequences, kvTokens);
    double noise = noiseSigma == 0 ? 1 : Math.exp(noiseSigma * random.nextGaussian());
    return Math.max(1, Math.round(millis * noise * 1e6 / speed));
  }
}
