package io.sluice.simulator.engine;

/**
 * The step time of one model on one kind of GPU: {@code max(t0 + a*P + b*D + c*K, f*D)}.
 *
 * <p>The terms of a profile hold for an 8B model. Reading the weights ({@code t0} without the
 * host's share) and computing a token ({@code a} and {@code b}) grow with the parameters; reading
 * the KV cache ({@code c}) grows with its bytes per token. Over several GPUs all of them shrink by
 * their number and {@link #PARALLEL_EFFICIENCY}, and each step pays {@link #ALL_REDUCE_MILLIS}.
 *
 * <p>The server's front end is one process that takes {@code f} to detokenise and send a token. It
 * works beside the GPU, so it shows only when it is the slower one: from then on the server yields
 * {@code 1/f} tokens a second however many streams there are, whatever the model.
 *
 * @param baseMillis t0, what every step takes
 * @param prefillTokenMillis a, per prompt token computed
 * @param decodeSequenceMillis b, per sequence that decodes
 * @param kvTokenMillis c, per KV-cache token that those decodes read
 * @param frontEndTokenMillis f, per output token; 0 for a front end that is never the slower one
 * @param kvBlocks the 16-token KV blocks that fit beside the weights
 */
record LatencyModel(
    double baseMillis,
    double prefillTokenMillis,
    double decodeSequenceMillis,
    double kvTokenMillis,
    double frontEndTokenMillis,
    int kvBlocks) {

  /** The part of t0 that the host takes to prepare a step, whatever the model. */
  private static final double HOST_MILLIS = 1.0;

  private static final double PARALLEL_EFFICIENCY = 0.85;
  private static final double ALL_REDUCE_MILLIS = 1.2;

  /**
   * Returns the terms.
   *
   * @throws IllegalArgumentException if the weights leave no memory for a KV cache
   */
  static LatencyModel of(GpuProfile profile, ModelSize model, int gpus) {
    double weights = model.billionParameters() / ModelSize.B8.billionParameters();
    double kv = (double) model.kvBytesPerToken() / ModelSize.B8.kvBytesPerToken();
    double share = gpus == 1 ? 1 : gpus * PARALLEL_EFFICIENCY;
    double communication = gpus == 1 ? 0 : ALL_REDUCE_MILLIS;
    return new LatencyModel(
        HOST_MILLIS + communication + (profile.baseMillis() - HOST_MILLIS) * weights / share,
        profile.prefillTokenMillis() * weights / share,
        profile.decodeSequenceMillis() * weights / share,
        profile.kvTokenMicros() * kv / share / 1000,
        profile.frontEndTokenMillis(),
        kvBlocks(profile, model, gpus));
  }

  double stepMillis(int prefillTokens, int decodeSequences, long kvTokens) {
    double gpuMillis =
        baseMillis
            + prefillTokenMillis * prefillTokens
            + decodeSequenceMillis * decodeSequences
            + kvTokenMillis * kvTokens;
    return Math.max(gpuMillis, frontEndTokenMillis * decodeSequences);
  }

  private static int kvBlocks(GpuProfile profile, ModelSize model, int gpus) {
    double blockBytes = (double) model.kvBytesPerToken() * BlockPool.BLOCK_TOKENS;
    double fitted = (double) ModelSize.B8.kvBytesPerToken() * BlockPool.BLOCK_TOKENS;
    double memory = profile.kvBlocks() * fitted + weightBytes(profile, ModelSize.B8);
    double left = memory * gpus - weightBytes(profile, model);
    int blocks = (int) Math.round(left / blockBytes);
    if (blocks < 2) {
      throw new IllegalArgumentException(
          "A %s model needs %.0f GB for its weights, but %d x %s has %.0f GB: use a smaller model or a larger tensor-parallel-size."
              .formatted(
                  model.wireName(),
                  weightBytes(profile, model) / 1e9,
                  gpus,
                  profile.wireName(),
                  memory * gpus / 1e9));
    }
    return blocks;
  }

  private static double weightBytes(GpuProfile profile, ModelSize model) {
    return model.billionParameters() * 1e9 * profile.bytesPerParameter();
  }
}
