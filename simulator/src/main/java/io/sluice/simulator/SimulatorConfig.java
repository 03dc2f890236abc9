package io.sluice.simulator;

import io.sluice.simulator.engine.EngineConfig;
import io.sluice.simulator.engine.GpuProfile;
import java.util.List;

/**
 * How a simulated engine is set up. Start from {@link #of} and change what differs.
 *
 * @param host the address to listen on
 * @param port the port to listen on; 0 for a free one
 * @param models the served model names, at least one; the first one is used in answers and metrics
 * @param profile the GPU whose speed and memory it has
 * @param maxModelLen the most tokens of prompt and output together
 * @param maxNumSeqs the most running sequences
 * @param maxNumBatchedTokens the most tokens computed in one step
 * @param kvBlocks KV-cache blocks of 16 tokens
 * @param seed the seed of the noise on step times
 * @param noise the width of that noise; 0 for none
 * @param speed how many times faster than the GPU it runs; 1 for real time
 * @param version the vLLM version it reports
 */
public record SimulatorConfig(
    String host,
    int port,
    List<String> models,
    GpuProfile profile,
    int maxModelLen,
    int maxNumSeqs,
    int maxNumBatchedTokens,
    int kvBlocks,
    long seed,
    double noise,
    double speed,
    String version) {

  /** The model name when none is given. */
  public static final String DEFAULT_MODEL = "sluice-sim-8b";

  private static final int DEFAULT_MAX_MODEL_LEN = 16_384;
  private static final double DEFAULT_NOISE = 0.03;

  /** Checks the limits; messages say what to change. */
  public SimulatorConfig {
    models = List.copyOf(models);
    if (models.isEmpty()) {
      throw new IllegalArgumentException("A simulated engine needs at least one model name.");
    }
    if (port < 0 || port > 65_535) {
      throw new IllegalArgumentException("port must be from 0 to 65535, got " + port + ".");
    }
  }

  /** The defaults of {@code vllm serve} on a GPU: loopback, a free port, a context of 16,384. */
  public static SimulatorConfig of(GpuProfile profile) {
    return new SimulatorConfig(
        "127.0.0.1",
        0,
        List.of(DEFAULT_MODEL),
        profile,
        DEFAULT_MAX_MODEL_LEN,
        profile.maxNumSeqs(),
        profile.maxNumBatchedTokens(),
        profile.kvBlocks(),
        0,
        DEFAULT_NOISE,
        1.0,
        "0.30.0");
  }

  /** Returns this configuration with the address to listen on changed. */
  public SimulatorConfig withHost(String host) {
    return new SimulatorConfig(
        host,
        port,
        models,
        profile,
        maxModelLen,
        maxNumSeqs,
        maxNumBatchedTokens,
        kvBlocks,
        seed,
        noise,
        speed,
        version);
  }

  /** Returns this configuration with the port to listen on changed. */
  public SimulatorConfig withPort(int port) {
    return new SimulatorConfig(
        host,
        port,
        models,
        profile,
        maxModelLen,
        maxNumSeqs,
        maxNumBatchedTokens,
        kvBlocks,
        seed,
        noise,
        speed,
        version);
  }

  /** Returns this configuration with the served model names changed. */
  public SimulatorConfig withModels(List<String> models) {
    return new SimulatorConfig(
        host,
        port,
        models,
        profile,
        maxModelLen,
        maxNumSeqs,
        maxNumBatchedTokens,
        kvBlocks,
        seed,
        noise,
        speed,
        version);
  }

  /** Returns this configuration with the context length changed. */
  public SimulatorConfig withMaxModelLen(int maxModelLen) {
    return new SimulatorConfig(
        host,
        port,
        models,
        profile,
        maxModelLen,
        maxNumSeqs,
        maxNumBatchedTokens,
        kvBlocks,
        seed,
        noise,
        speed,
        version);
  }

  /** Returns this configuration with the limit of running sequences changed. */
  public SimulatorConfig withMaxNumSeqs(int maxNumSeqs) {
    return new SimulatorConfig(
        host,
        port,
        models,
        profile,
        maxModelLen,
        maxNumSeqs,
        maxNumBatchedTokens,
        kvBlocks,
        seed,
        noise,
        speed,
        version);
  }

  /** Returns this configuration with the token budget of a step changed. */
  public SimulatorConfig withMaxNumBatchedTokens(int maxNumBatchedTokens) {
    return new SimulatorConfig(
        host,
        port,
        models,
        profile,
        maxModelLen,
        maxNumSeqs,
        maxNumBatchedTokens,
        kvBlocks,
        seed,
        noise,
        speed,
        version);
  }

  /** Returns this configuration with the size of the KV cache changed. */
  public SimulatorConfig withKvBlocks(int kvBlocks) {
    return new SimulatorConfig(
        host,
        port,
        models,
        profile,
        maxModelLen,
        maxNumSeqs,
        maxNumBatchedTokens,
        kvBlocks,
        seed,
        noise,
        speed,
        version);
  }

  /** Returns this configuration with the seed of the noise changed. */
  public SimulatorConfig withSeed(long seed) {
    return new SimulatorConfig(
        host,
        port,
        models,
        profile,
        maxModelLen,
        maxNumSeqs,
        maxNumBatchedTokens,
        kvBlocks,
        seed,
        noise,
        speed,
        version);
  }

  /** Returns this configuration with the width of the noise changed. */
  public SimulatorConfig withNoise(double noise) {
    return new SimulatorConfig(
        host,
        port,
        models,
        profile,
        maxModelLen,
        maxNumSeqs,
        maxNumBatchedTokens,
        kvBlocks,
        seed,
        noise,
        speed,
        version);
  }

  /** Returns this configuration with the speed factor changed. */
  public SimulatorConfig withSpeed(double speed) {
    return new SimulatorConfig(
        host,
        port,
        models,
        profile,
        maxModelLen,
        maxNumSeqs,
        maxNumBatchedTokens,
        kvBlocks,
        seed,
        noise,
        speed,
        version);
  }

  EngineConfig engine() {
    return new EngineConfig(
        profile, maxModelLen, maxNumSeqs, maxNumBatchedTokens, kvBlocks, seed, noise, speed);
  }
}
