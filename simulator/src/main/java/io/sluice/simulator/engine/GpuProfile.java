package io.sluice.simulator.engine;

import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;

/**
 * A GPU that serves an 8-billion-parameter model: the terms of its step time and its defaults.
 *
 * <p>The figures are fitted to published measurements of vLLM and NIM; bfloat16 weights unless the
 * name says otherwise. Batch defaults are those of {@code vllm serve} on that GPU.
 */
public enum GpuProfile {
  /** H100 SXM, 80 GB. */
  H100("h100", 6.3, 0.036, 0.03, 0.05, 0, 28_300, 8_192, 1_024),
  /**
   * H100 SXM with FP8 weights; the smaller weights leave room for more KV blocks. The only one
   * whose recording reaches the limit of the server's front end.
   */
  H100_FP8("h100-fp8", 4.4, 0.017, 0.010, 0.03, 0.06, 32_000, 8_192, 1_024),
  /** A100, 80 GB. */
  A100_80("a100-80", 10.2, 0.07, 0.04, 0.08, 0, 28_000, 2_048, 256),
  /** A100, 40 GB. */
  A100_40("a100-40", 13.2, 0.07, 0.04, 0.11, 0, 9_500, 2_048, 256),
  /** RTX 4090, 24 GB. */
  RTX4090("rtx4090", 18.5, 0.21, 0.04, 0.17, 0, 2_993, 2_048, 256),
  /** L40S, 48 GB. */
  L40S("l40s", 23.0, 0.09, 0.05, 0.2, 0, 12_500, 2_048, 256),
  /** L4, 24 GB. */
  L4("l4", 65.0, 0.35, 0.1, 0.55, 0, 2_169, 2_048, 256);

  private final String wireName;
  private final double baseMillis;
  private final double prefillTokenMillis;
  private final double decodeSequenceMillis;
  private final double kvTokenMicros;
  private final double frontEndTokenMillis;
  private final int kvBlocks;
  private final int maxNumBatchedTokens;
  private final int maxNumSeqs;

  GpuProfile(
      String wireName,
      double baseMillis,
      double prefillTokenMillis,
      double decodeSequenceMillis,
      double kvTokenMicros,
      double frontEndTokenMillis,
      int kvBlocks,
      int maxNumBatchedTokens,
      int maxNumSeqs) {
    this.wireName = wireName;
    this.baseMillis = baseMillis;
    this.prefillTokenMillis = prefillTokenMillis;
    this.decodeSequenceMillis = decodeSequenceMillis;
    this.kvTokenMicros = kvTokenMicros;
    this.frontEndTokenMillis = frontEndTokenMillis;
    this.kvBlocks = kvBlocks;
    this.maxNumBatchedTokens = maxNumBatchedTokens;
    this.maxNumSeqs = maxNumSeqs;
  }

  /**
   * Returns the profile of a name such as {@code rtx4090}.
   *
   * @throws IllegalArgumentException if there is none; the message lists those there are
   */
  public static GpuProfile named(String name) {
    return Arrays.stream(values())
        .filter(profile -> profile.wireName.equals(name))
        .findFirst()
        .orElseThrow(
            () ->
                new IllegalArgumentException(
                    "Unknown GPU profile '%s'; use one of %s."
                        .formatted(name, String.join(", ", names()))));
  }

  /** Returns all profile names. */
  public static List<String> names() {
    return Arrays.stream(values()).map(profile -> profile.wireName).collect(Collectors.toList());
  }

  /** Returns the name that flags and configuration use. */
  public String wireName() {
    return wireName;
  }

  /** Returns the number of 16-token KV blocks that fit beside the weights. */
  public int kvBlocks() {
    return kvBlocks;
  }

  /** Returns the default token budget of a step. */
  public int maxNumBatchedTokens() {
    return maxNumBatchedTokens;
  }

  /** Returns the default limit of running sequences. */
  public int maxNumSeqs() {
    return maxNumSeqs;
  }

  double baseMillis() {
    return baseMillis;
  }

  double prefillTokenMillis() {
    return prefillTokenMillis;
  }

  double decodeSequenceMillis() {
    return decodeSequenceMillis;
  }

  double kvTokenMicros() {
    return kvTokenMicros;
  }

  /** Returns what the server's front end takes per output token; 0 where no limit was seen. */
  double frontEndTokenMillis() {
    return frontEndTokenMillis;
  }

  int bytesPerParameter() {
    return this == H100_FP8 ? 1 : 2;
  }
}
