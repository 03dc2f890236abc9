package io.sluice.simulator.engine.timing;

/**
 * The step time of one model on one kind of GPU, and the memory that remains for its KV cache.
 *
 * <p>The terms of a built-in profile are valid for an 8B model. Reading the weights ({@code t0}
 * without the host's share) and computing a token ({@code a} and {@code b}) grow with the number of
 * parameters. Reading the KV cache ({@code c}) grows with its bytes per token. With several GPUs,
 * all of these shrink by their number and {@link #PARALLEL_EFFICIENCY}, and each step also takes
 * {@link #ALL_REDUCE_MILLIS}. A measured profile is used unchanged.
 *
 * <p>The server's front end is one process that takes {@code f} to detokenize and send a token. It
 * runs in parallel to the GPU, so that it matters only when it is slower: then the server produces
 * {@code 1/f} tokens per second for any number of streams and any model.
 *
 * @param cost the terms of the step time
 * @param kvTokens the number of KV-cache tokens that fit next to the weights
 */
public record LatencyModel(StepCost cost, double kvTokens) {

  /** The part of t0 in which the host prepares a step; the same for every model. */
  private static final double HOST_MILLIS = 1.0;

  private static final double PARALLEL_EFFICIENCY = 0.85;
  private static final double ALL_REDUCE_MILLIS = 1.2;

  /**
   * Returns the latency model of a profile.
   *
   * @throws IllegalArgumentException if the weights leave no memory for a KV cache, or if a
   *     measured profile is combined with another model or number of GPUs
   */
  public static LatencyModel of(GpuProfile profile, ModelSize model, int gpus) {
    if (profile.measured()) {
      checkUnscaled(profile, model, gpus);
      return new LatencyModel(profile.cost(), (double) profile.kvBlocks() * profile.blockTokens());
    }
    return new LatencyModel(scaled(profile.cost(), model, gpus), kvTokens(profile, model, gpus));
  }

  /** Returns the time of a step without noise. */
  public double stepMillis(StepWork work) {
    return cost.stepMillis(work);
  }

  /** Returns the number of blocks of this size that fit. */
  public int kvBlocks(int blockTokens) {
    return (int) Math.round(kvTokens / blockTokens);
  }

  private static void checkUnscaled(GpuProfile profile, ModelSize model, int gpus) {
    if (model != ModelSize.B8 || gpus != 1) {
      throw new IllegalArgumentException(
          "The profile %s is valid only for the model and the GPUs it was measured with: leave out model-size and tensor-parallel-size."
              .formatted(profile.wireName()));
    }
  }

  private static StepCost scaled(StepCost cost, ModelSize model, int gpus) {
    double weights = model.billionParameters() / ModelSize.B8.billionParameters();
    double kv = (double) model.kvBytesPerToken() / ModelSize.B8.kvBytesPerToken();
    double share = gpus == 1 ? 1 : gpus * PARALLEL_EFFICIENCY;
    double communication = gpus == 1 ? 0 : ALL_REDUCE_MILLIS;
    return new StepCost(
        HOST_MILLIS + communication + (cost.baseMillis() - HOST_MILLIS) * weights / share,
        cost.prefillTokenMillis() * weights / share,
        cost.prefillKvTokenMillis() * weights / share,
        cost.decodeSequenceMillis() * weights / share,
        cost.kvTokenMillis() * kv / share,
        cost.frontEndTokenMillis());
  }

  private static double kvTokens(GpuProfile profile, ModelSize model, int gpus) {
    double fitted =
        (double) ModelSize.B8.kvBytesPerToken() * profile.kvBlocks() * profile.blockTokens();
    double memory = fitted + weightBytes(profile, ModelSize.B8);
    double left = memory * gpus - weightBytes(profile, model);
    double tokens = left / model.kvBytesPerToken();
    if (tokens < 2 * profile.blockTokens()) {
      throw new IllegalArgumentException(
          "A %s model needs %.0f GB for its weights, but %d x %s has %.0f GB: use a smaller model or a larger tensor-parallel-size."
              .formatted(
                  model.wireName(),
                  weightBytes(profile, model) / 1e9,
                  gpus,
                  profile.wireName(),
                  memory * gpus / 1e9));
    }
    return tokens;
  }

  private static double weightBytes(GpuProfile profile, ModelSize model) {
    return model.billionParameters() * 1e9 * profile.bytesPerParameter();
  }
}
