package io.sluice.simulator.engine.timing;

import java.util.Arrays;
import java.util.List;

/**
 * The size of the simulated model: its weights and the KV-cache bytes of a token.
 *
 * <p>The shapes are those of well-known dense models with grouped-query attention: Llama 3.2 1B and
 * 3B, Mistral 7B, Llama 3.1 8B, Qwen3 14B and 32B, Llama 3.3 70B. KV bytes are 2 (key and value) x
 * layers x KV heads x head size x 2 (bfloat16).
 */
public enum ModelSize {
  /** 1.24 billion parameters. */
  B1("1b", 1.24, 2 * 16 * 8 * 64 * 2),
  /** 3.21 billion parameters. */
  B3("3b", 3.21, 2 * 28 * 8 * 128 * 2),
  /** 7.25 billion parameters. */
  B7("7b", 7.25, 2 * 32 * 8 * 128 * 2),
  /** 8.03 billion parameters: the size for which the GPU profiles were fitted. */
  B8("8b", 8.03, 2 * 32 * 8 * 128 * 2),
  /** 14.8 billion parameters. */
  B14("14b", 14.8, 2 * 40 * 8 * 128 * 2),
  /** 32.8 billion parameters. */
  B32("32b", 32.8, 2 * 64 * 8 * 128 * 2),
  /** 70.6 billion parameters. */
  B70("70b", 70.6, 2 * 80 * 8 * 128 * 2);

  private final String wireName;
  private final double billionParameters;
  private final int kvBytesPerToken;

  ModelSize(String wireName, double billionParameters, int kvBytesPerToken) {
    this.wireName = wireName;
    this.billionParameters = billionParameters;
    this.kvBytesPerToken = kvBytesPerToken;
  }

  /** Returns all names, from small to large. */
  public static List<String> names() {
    return Arrays.stream(values()).map(size -> size.wireName).toList();
  }

  /** Returns the name in flags and configuration. */
  public String wireName() {
    return wireName;
  }

  /** Returns the name in flags and configuration, by which a setting is read. */
  @Override
  public String toString() {
    return wireName;
  }

  /**
   * Returns the parameters in billions, which are also the gigabytes of weights at one byte each.
   */
  public double billionParameters() {
    return billionParameters;
  }

  /** Returns the bytes of bfloat16 KV cache per token. */
  public int kvBytesPerToken() {
    return kvBytesPerToken;
  }
}
