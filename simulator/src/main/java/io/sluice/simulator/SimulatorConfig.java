package io.sluice.simulator;

import io.sluice.simulator.engine.EngineConfig;
import io.sluice.simulator.engine.Scheduling;
import io.sluice.simulator.engine.SchedulingPolicy;
import io.sluice.simulator.engine.timing.GpuProfile;
import io.sluice.simulator.engine.timing.Timing;
import io.sluice.simulator.fault.Fault;
import io.sluice.simulator.release.Release;
import io.soabase.recordbuilder.core.RecordBuilder;
import io.soabase.recordbuilder.core.RecordBuilder.BuilderMode;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;

/**
 * The configuration of a simulated engine. Start with {@link #of} and change what differs.
 *
 * @param host the address to listen on
 * @param port the port to listen on; 0 for a free one
 * @param models the served model names, at least one; the first one is used in answers and metrics
 * @param timing the GPUs, the model on them, and their speed
 * @param scheduling the limits and rules of the scheduler; the limit of adapters applies only while
 *     the server has adapters
 * @param maxModelLen the largest number of tokens in prompt and output together
 * @param prefixCaching whether KV blocks are cached and reused
 * @param kvBlocks the number of KV-cache blocks; empty for what fits next to the weights
 * @param blockTokens the number of tokens in a KV-cache block
 * @param version the vLLM version it reports
 * @param server the options of the server
 * @param faults the faults that are active from the start
 * @param adminPort the port of the fault controls; 0 for a free one, empty for none
 * @param bootAfterDeath how long a restart takes after the death of the engine or its process;
 *     empty for no restart
 */
@RecordBuilder
@RecordBuilder.Options(builderMode = BuilderMode.STAGED_REQUIRED_ONLY, enableWither = false)
public record SimulatorConfig(
    String host,
    int port,
    List<String> models,
    Timing timing,
    Scheduling scheduling,
    int maxModelLen,
    boolean prefixCaching,
    OptionalInt kvBlocks,
    int blockTokens,
    String version,
    ServerOptions server,
    List<Fault> faults,
    OptionalInt adminPort,
    Optional<Duration> bootAfterDeath) {

  /** The default model name. */
  public static final String DEFAULT_MODEL = "sluice-sim-8b";

  /** The minor version since which vLLM schedules steps ahead. */
  private static final int ASYNC_SINCE = 14;

  /** Validates the limits. The messages say what to change. */
  public SimulatorConfig {
    models = List.copyOf(models);
    faults = List.copyOf(faults);
    if (models.isEmpty()) {
      throw new IllegalArgumentException("A simulated engine needs at least one model name.");
    }
    checkPort("port", port);
    adminPort.ifPresent(admin -> checkPort("admin-port", admin));
  }

  private static void checkPort(String name, int port) {
    if (port < 0 || port > 65_535) {
      throw new IllegalArgumentException(name + " must be from 0 to 65535, got " + port + ".");
    }
  }

  /**
   * Returns the defaults of {@code vllm serve} on a GPU, on the loopback address and a free port.
   */
  public static SimulatorConfig of(GpuProfile profile) {
    return SimulatorConfigBuilder.builder()
        .host("127.0.0.1")
        .port(0)
        .models(List.of(DEFAULT_MODEL))
        .timing(Timing.of(profile).withNoise(0, profile.noiseSigma(), 0))
        .scheduling(
            new Scheduling(
                profile.maxNumSeqs(),
                profile.maxNumBatchedTokens(),
                0,
                SchedulingPolicy.FCFS,
                1,
                true))
        .maxModelLen(profile.maxModelLen())
        .prefixCaching(true)
        .kvBlocks(OptionalInt.empty())
        .blockTokens(profile.blockTokens())
        .version(Release.NEWEST)
        .server(ServerOptions.defaults())
        .faults(List.of())
        .adminPort(OptionalInt.empty())
        .build();
  }

  /** Returns this configuration with another address to listen on. */
  public SimulatorConfig withHost(String host) {
    return changed().host(host).build();
  }

  /** Returns this configuration with another port to listen on. */
  public SimulatorConfig withPort(int port) {
    return changed().port(port).build();
  }

  /** Returns this configuration with other served model names. */
  public SimulatorConfig withModels(List<String> models) {
    return changed().models(models).build();
  }

  /** Returns this configuration with other GPUs, another model, or another speed or noise. */
  public SimulatorConfig withTiming(Timing timing) {
    return changed().timing(timing).build();
  }

  /** Returns this configuration with another speed factor. */
  public SimulatorConfig withSpeed(double speed) {
    return withTiming(timing.withSpeed(speed));
  }

  /** Returns this configuration with other limits and rules of the scheduler. */
  public SimulatorConfig withScheduling(Scheduling scheduling) {
    return changed().scheduling(scheduling).build();
  }

  /** Returns this configuration with another context length. */
  public SimulatorConfig withMaxModelLen(int maxModelLen) {
    return changed().maxModelLen(maxModelLen).build();
  }

  /** Returns this configuration with prefix caching enabled or disabled. */
  public SimulatorConfig withPrefixCaching(boolean prefixCaching) {
    return changed().prefixCaching(prefixCaching).build();
  }

  /** Returns this configuration with another size of the KV cache. */
  public SimulatorConfig withKvBlocks(int kvBlocks) {
    return changed().kvBlocks(OptionalInt.of(kvBlocks)).build();
  }

  /** Returns this configuration with another size of KV blocks. */
  public SimulatorConfig withBlockTokens(int blockTokens) {
    return changed().blockTokens(blockTokens).build();
  }

  /** Returns this configuration with another reported vLLM version. */
  public SimulatorConfig withVersion(String version) {
    return changed().version(version).build();
  }

  /** Returns this configuration with other server options. */
  public SimulatorConfig withServer(ServerOptions server) {
    return changed().server(server).build();
  }

  /** Returns this configuration with other faults that are active from the start. */
  public SimulatorConfig withFaults(List<Fault> faults) {
    return changed().faults(faults).build();
  }

  /** Returns this configuration with the fault controls on a port; 0 for a free one. */
  public SimulatorConfig withAdminPort(int adminPort) {
    return changed().adminPort(OptionalInt.of(adminPort)).build();
  }

  /** Returns this configuration with a restart after every death. */
  public SimulatorConfig withBootAfterDeath(Duration bootAfterDeath) {
    return changed().bootAfterDeath(Optional.of(bootAfterDeath)).build();
  }

  /** Returns the configuration of its engine. */
  public EngineConfig engine() {
    boolean adapters = server.api().runtimeLora() || !server.loras().isEmpty();
    return new EngineConfig(
        timing,
        scheduling
            .withMaxLoras(adapters ? scheduling.maxLoras() : 0)
            .withAsync(scheduling.async() && !Release.of(version).before(ASYNC_SINCE)),
        maxModelLen,
        kvBlocks.isPresent() ? kvBlocks.getAsInt() : timing.kvBlocks(blockTokens),
        blockTokens,
        prefixCaching);
  }

  private SimulatorConfigBuilder changed() {
    return SimulatorConfigBuilder.builder(this);
  }
}
