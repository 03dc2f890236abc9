package io.sluice.simulator.engine;

/**
 * How long steps take.
 *
 * @param profile the GPU
 * @param model the size of the model on it
 * @param tensorParallel over how many of these GPUs the model is spread, at least 1
 * @param seed the seed of noise and stalls
 * @param noiseSigma the width of the lognormal noise on step times; 0 for none
 * @param stallsPerThousand how many of 1,000 steps take 2 to 5 times as long; 0 for none
 * @param speed how many times faster than the GPU the engine runs; 1 for real time
 */
public record Timing(
    GpuProfile profile,
    ModelSize model,
    int tensorParallel,
    long seed,
    double noiseSigma,
    double stallsPerThousand,
    double speed) {

  /** Checks the values; the messages say what to change. */
  public Timing {
    if (speed <= 0 || noiseSigma < 0) {
      throw new IllegalArgumentException("speed must be positive and noise not negative.");
    }
    if (stallsPerThousand < 0 || stallsPerThousand > 1000) {
      throw new IllegalArgumentException("stalls must be from 0 to 1000 of 1000 steps.");
    }
    if (tensorParallel < 1) {
      throw new IllegalArgumentException("tensor-parallel-size must be at least 1.");
    }
  }

  /** An 8B model on one GPU in real time, without noise or stalls. */
  public static Timing of(GpuProfile profile) {
    return new Timing(profile, ModelSize.B8, 1, 0, 0, 0, 1);
  }

  /** Returns this timing for another model. */
  public Timing withModel(ModelSize size) {
    return new Timing(profile, size, tensorParallel, seed, noiseSigma, stallsPerThousand, speed);
  }

  /** Returns this timing with the model spread over so many GPUs. */
  public Timing withTensorParallel(int gpus) {
    return new Timing(profile, model, gpus, seed, noiseSigma, stallsPerThousand, speed);
  }

  /** Returns this timing with other noise. */
  public Timing withNoise(long newSeed, double sigma, double newStallsPerThousand) {
    return new Timing(profile, model, tensorParallel, newSeed, sigma, newStallsPerThousand, speed);
  }

  /** Returns this timing at another speed. */
  public Timing withSpeed(double factor) {
    return new Timing(profile, model, tensorParallel, seed, noiseSigma, stallsPerThousand, factor);
  }

  /**
   * Returns the KV blocks of the profile's size that fit beside the model's weights.
   *
   * @throws IllegalArgumentException if the model does not fit
   */
  public int kvBlocks() {
    return kvBlocks(profile.blockTokens());
  }

  /**
   * Returns the KV blocks of so many tokens that fit beside the model's weights.
   *
   * @throws IllegalArgumentException if the model does not fit
   */
  public int kvBlocks(int blockTokens) {
    return latency().kvBlocks(blockTokens);
  }

  /** Returns what a request takes before the engine has it, in nanoseconds. */
  public long requestNanos() {
    return Math.round(profile.requestMillis() * 1e6 / speed);
  }

  LatencyModel latency() {
    return LatencyModel.of(profile, model, tensorParallel);
  }
}
