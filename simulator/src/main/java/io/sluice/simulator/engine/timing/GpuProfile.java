package io.sluice.simulator.engine.timing;

import io.soabase.recordbuilder.core.RecordBuilder;
import io.soabase.recordbuilder.core.RecordBuilder.BuilderMode;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * The performance of a GPU with a model: the terms of its step time, its KV cache and its defaults.
 * The built-in profiles serve an 8-billion-parameter model and can be scaled to other sizes. A
 * measured profile is valid only for the engine it was measured on.
 *
 * <p>The values of the built-in profiles are fitted to published measurements of vLLM and NIM, with
 * bfloat16 weights unless the name says otherwise. The batch defaults are those of {@code vllm
 * serve} on that GPU.
 *
 * @param wireName the name in flags and configuration
 * @param cost the terms of the step time
 * @param requestMillis the time of a request in addition to its steps: HTTP and tokenization. It
 *     passes before the request reaches the engine, and only in real time; 0 for none
 * @param bytesPerParameter the bytes per parameter of the weights; not used in a measured profile
 * @param kvBlocks the number of KV blocks that fit next to the weights, including the null block
 * @param blockTokens the number of tokens in a KV block
 * @param maxNumBatchedTokens the default token budget of a step
 * @param maxNumSeqs the default limit of running sequences
 * @param maxModelLen the default limit of prompt and output together, in tokens
 * @param noiseSigma the default width of the lognormal noise on step times
 * @param measured whether the terms are valid for one model and one number of GPUs only
 */
@RecordBuilder
@RecordBuilder.Options(builderMode = BuilderMode.STAGED_REQUIRED_ONLY, enableWither = false)
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
   * H100 SXM with FP8 weights. The smaller weights leave room for more KV blocks. This is the only
   * profile whose recording reaches the limit of the server's front end.
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

  /** Validates the sizes. The messages name the wrong value. */
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
   * Returns the built-in profile with a name such as {@code rtx4090}.
   *
   * @throws IllegalArgumentException if there is none; the message lists the known names
   */
  public static GpuProfile named(String name) {
    return find(name)
        .orElseThrow(
            () ->
                new IllegalArgumentException(
                    "Unknown GPU profile '%s'; use one of %s."
                        .formatted(name, String.join(", ", names()))));
  }

  /** Returns the built-in profile with a name, if there is one. */
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
    return GpuProfileBuilder.builder()
        .wireName(name)
        .cost(cost)
        .requestMillis(0)
        .bytesPerParameter(bytesPerParameter)
        .kvBlocks(kvBlocks)
        .blockTokens(16)
        .maxNumBatchedTokens(maxNumBatchedTokens)
        .maxNumSeqs(maxNumSeqs)
        .maxModelLen(16_384)
        .noiseSigma(0.03)
        .measured(false)
        .build();
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
