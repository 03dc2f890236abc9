package io.sluice.simulator.engine;

import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * What a GPU does with a model: the terms of its step time, its KV cache and its defaults. The
 * built-in ones serve an 8-billion-parameter model and can be scaled to others; a measured one
 * holds for the engine it was measured on.
 *
 * <p>The figures of the built-in ones are fitted to published measurements of vLLM and NIM;
 * bfloat16 weights unless the name says otherwise. Batch defaults are those of {@code vllm serve}
 * on that GPU.
 *
 * @param wireName the name that flags and configuration use
 * @param cost what a step takes
 * @param requestMillis what a request takes besides its steps: HTTP and tokenising. It passes
 *     before the engine has the request, and only in real time; 0 for nothing
 * @param bytesPerParameter of the weights; without meaning for a measured profile
 * @param kvBlocks the KV blocks that fit beside the weights, the null block included
 * @param blockTokens the tokens of a KV block
 * @param maxNumBatchedTokens the default token budget of a step
 * @param maxNumSeqs the default limit of running sequences
 * @param maxModelLen the default limit of prompt and output together, in tokens
 * @param noiseSigma the default width of the lognormal noise on step times
 * @param measured whether the terms hold for one model and number of GPUs only
 */
public record GpuProfile(
    String wireName,
    StepCost cost,
    double requestMillis,
    int bytesPerParameter,
    int kvBlocks,
    int blockTokens,
    int maxNumBatchedTokens,
    int maxNumSeqs,
    int maxModelLen,
    double noiseSigma,
    boolean measured) {

  /** H100 SXM, 80 GB. */
  public static final GpuProfile H100 =
      builtIn("h100", cost(6.3, 0.036, 0.03, 0.05, 0), 2, 28_300, 8_192, 1_024);

  /**
   * H100 SXM with FP8 weights; the smaller weights leave room for more KV blocks. The only one
   * whose recording reaches the limit of the server's front end.
   */
  public static final GpuProfile H100_FP8 =
      builtIn("h100-fp8", cost(4.4, 0.017, 0.010, 0.03, 0.06), 1, 32_000, 8_192, 1_024);

  /** A100, 80 GB. */
  public static final GpuProfile A100_80 =
      builtIn("a100-80", cost(10.2, 0.07, 0.04, 0.08, 0), 2, 28_000, 2_048, 256);

  /** A100, 40 GB. */
  public static final GpuProfile A100_40 =
      builtIn("a100-40", cost(13.2, 0.07, 0.04, 0.11, 0), 2, 9_500, 2_048, 256);

  /** RTX 4090, 24 GB. */
  public static final GpuProfile RTX4090 =
      builtIn("rtx4090", cost(18.5, 0.21, 0.04, 0.17, 0), 2, 2_993, 2_048, 256);

  /** L40S, 48 GB. */
  public static final GpuProfile L40S =
      builtIn("l40s", cost(23.0, 0.09, 0.05, 0.2, 0), 2, 12_500, 2_048, 256);

  /** L4, 24 GB. */
  public static final GpuProfile L4 =
      builtIn("l4", cost(65.0, 0.35, 0.1, 0.55, 0), 2, 2_169, 2_048, 256);

  private static final List<GpuProfile> BUILT_IN =
      List.of(H100, H100_FP8, A100_80, A100_40, RTX4090, L40S, L4);

  /** Checks the sizes; the messages name what is wrong. */
  public GpuProfile {
    checkPositive("the block size", blockTokens);
    checkPositive("max-num-batched-tokens", maxNumBatchedTokens);
    checkPositive("max-num-seqs", maxNumSeqs);
    checkPositive("max-model-len", maxModelLen);
    if (kvBlocks < 2) {
      throw new IllegalArgumentException("A profile needs at least 2 KV blocks, got " + kvBlocks);
    }
    checkNotNegative("noise", noiseSigma);
    checkNotNegative("time per request", requestMillis);
  }

  /**
   * Returns the built-in profile of a name such as {@code rtx4090}.
   *
   * @throws IllegalArgumentException if there is none; the message lists those there are
   */
  public static GpuProfile named(String name) {
    return find(name)
        .orElseThrow(
            () ->
                new IllegalArgumentException(
                    "Unknown GPU profile '%s'; use one of %s."
                        .formatted(name, String.join(", ", names()))));
  }

  /** Returns the built-in profile of a name, if there is one. */
  public static Optional<GpuProfile> find(String name) {
    return BUILT_IN.stream().filter(profile -> profile.wireName.equals(name)).findFirst();
  }

  /** Returns the names of all built-in profiles. */
  public static List<String> names() {
    return BUILT_IN.stream().map(profile -> profile.wireName).collect(Collectors.toList());
  }

  private static StepCost cost(
      double baseMillis,
      double prefillTokenMillis,
      double decodeSequenceMillis,
      double kvTokenMicros,
      double frontEndTokenMillis) {
    return new StepCost(
        baseMillis,
        prefillTokenMillis,
        0,
        decodeSequenceMillis,
        kvTokenMicros / 1000,
        frontEndTokenMillis);
  }

  private static GpuProfile builtIn(
      String name,
      StepCost cost,
      int bytesPerParameter,
      int kvBlocks,
      int maxNumBatchedTokens,
      int maxNumSeqs) {
    return new GpuProfile(
        name,
        cost,
        0,
        bytesPerParameter,
        kvBlocks,
        16,
        maxNumBatchedTokens,
        maxNumSeqs,
        16_384,
        0.03,
        false);
  }

  private static void checkNotNegative(String what, double value) {
    if (!(value >= 0) || Double.isInfinite(value)) {
      throw new IllegalArgumentException(
          "The %s must be 0 or more, got %s.".formatted(what, value));
    }
  }

  private static void checkPositive(String what, int value) {
    if (value < 1) {
      throw new IllegalArgumentException(
          "A profile needs %s of at least 1, got %d.".formatted(what, value));
    }
  }
}
