package io.sluice.simulator.engine.timing;

/**
 * The time that steps take.
 *
 * @param profile the GPU
 * @param model the size of the model
 * @param tensorParallel the number of GPUs that share the model, at least 1
 * @param seed the seed of noise and stalls
 * @param noiseSigma the width of the lognormal noise on step times; 0 for none
 * @param stallsPerThousand the number of steps in 1,000 that take 2 to 5 times as long; 0 for none
 * @param speed the speed relative to the GPU; 1 for real time
 */
public record Timing(
    GpuProfile profile,
    ModelSize model,
    int tensorParallel,
    long seed,
    double noiseSigma,
    double stallsPerThousand,
    double speed) {

  /** Validates the values. The messages say what to change. */
  public Timing {
    if (speed <= 0 || noiseSigma < 0) {
      throw new IllegalArgumentException("speed must be positive and noise not negative.");
    }
    if (stallsPerThousand < 0 || stallsPerThousand > 1000) {
      throw new IllegalArgumentException("stalls-per-thousand must be from 0 to 1000.");
    }
    if (tensorParallel < 1) {
      throw new IllegalArgumentException("tensor-parallel-size must be at least 1.");
    }
  }

  /** Returns an 8B model on one GPU in real time, without noise or stalls. */
  public static Timing of(GpuProfile profile) {
    return new Timing(profile, ModelSize.B8, 1, 0, 0, 0, 1);
  }

  /** Returns this timing for another model. */
  public Timing withModel(ModelSize size) {
    return new Timing(profile, size, tensorParallel, seed, noiseSigma, stallsPerThousand, speed);
  }

  /** Returns this timing with the model on a number of GPUs. */
  public Timing withTensorParallel(int gpus) {
    return new Timing(profile, model, gpus, seed, noiseSigma, stallsPerThousand, speed);
  }

  /** Returns this timing with other noise. */
  public Timing withNoise(long newSeed, double sigma, double newStallsPerThousand) {
    return new Timing(profile, model, tensorParallel, newSeed, sigma, newStallsPerThousand, speed);
  }

  /** Returns this timing with another speed. */
  public Timing withSpeed(double factor) {
    return new Timing(profile, model, tensorParallel, seed, noiseSigma, stallsPerThousand, factor);
  }

  /**
   * Returns the number of KV blocks of the profile's size that fit next to the model's weights.
   *
   * @throws IllegalArgumentException if the model does not fit
   */
  public int kvBlocks() {
    return kvBlocks(profile.blockTokens());
  }

  /**
   * Returns the number of KV blocks of a given size that fit next to the model's weights.
   *
   * @throws IllegalArgumentException if the model does not fit
   */
  public int kvBlocks(int blockTokens) {
    return latency().kvBlocks(blockTokens);
  }

  /** Returns the time before a request reaches the engine, in nanoseconds. */
  public long requestNanos() {
    return Math.round(profile.requestMillis() * 1e6 / speed);
  }

  LatencyModel latency() {
    return LatencyModel.of(profile, model, tensorParallel);
  }
}
