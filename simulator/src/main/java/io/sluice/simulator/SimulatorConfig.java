package io.sluice.simulator;

import io.sluice.simulator.engine.EngineConfig;
import io.sluice.simulator.engine.GpuProfile;
import io.sluice.simulator.engine.Scheduling;
import io.sluice.simulator.engine.SchedulingPolicy;
import io.sluice.simulator.engine.Timing;
import io.sluice.simulator.fault.Fault;
import io.sluice.simulator.release.Release;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.function.Consumer;

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
    return new SimulatorConfig(
        "127.0.0.1",
        0,
        List.of(DEFAULT_MODEL),
        Timing.of(profile).withNoise(0, profile.noiseSigma(), 0),
        new Scheduling(
            profile.maxNumSeqs(), profile.maxNumBatchedTokens(), 0, SchedulingPolicy.FCFS, 1, true),
        profile.maxModelLen(),
        true,
        OptionalInt.empty(),
        profile.blockTokens(),
        Release.NEWEST,
        ServerOptions.defaults(),
        List.of(),
        OptionalInt.empty(),
        Optional.empty());
  }

  /** Returns this configuration with another address to listen on. */
  public SimulatorConfig withHost(String host) {
    return with(draft -> draft.host = host);
  }

  /** Returns this configuration with another port to listen on. */
  public SimulatorConfig withPort(int port) {
    return with(draft -> draft.port = port);
  }

  /** Returns this configuration with other served model names. */
  public SimulatorConfig withModels(List<String> models) {
    return with(draft -> draft.models = models);
  }

  /** Returns this configuration with other GPUs, another model, or another speed or noise. */
  public SimulatorConfig withTiming(Timing timing) {
    return with(draft -> draft.timing = timing);
  }

  /** Returns this configuration with another speed factor. */
  public SimulatorConfig withSpeed(double speed) {
    return withTiming(timing.withSpeed(speed));
  }

  /** Returns this configuration with another width of the noise. */
  public SimulatorConfig withNoise(double noise) {
    return withTiming(timing.withNoise(timing.seed(), noise, timing.stallsPerThousand()));
  }

  /** Returns this configuration with other limits and rules of the scheduler. */
  public SimulatorConfig withScheduling(Scheduling scheduling) {
    return with(draft -> draft.scheduling = scheduling);
  }

  /** Returns this configuration with another limit of running sequences. */
  public SimulatorConfig withMaxNumSeqs(int maxNumSeqs) {
    return withScheduling(scheduling.withLimits(maxNumSeqs, scheduling.maxNumBatchedTokens()));
  }

  /** Returns this configuration with another context length. */
  public SimulatorConfig withMaxModelLen(int maxModelLen) {
    return with(draft -> draft.maxModelLen = maxModelLen);
  }

  /** Returns this configuration with prefix caching enabled or disabled. */
  public SimulatorConfig withPrefixCaching(boolean prefixCaching) {
    return with(draft -> draft.prefixCaching = prefixCaching);
  }

  /** Returns this configuration with another size of the KV cache. */
  public SimulatorConfig withKvBlocks(int kvBlocks) {
    return with(draft -> draft.kvBlocks = OptionalInt.of(kvBlocks));
  }

  /** Returns this configuration with another size of KV blocks. */
  public SimulatorConfig withBlockTokens(int blockTokens) {
    return with(draft -> draft.blockTokens = blockTokens);
  }

  /** Returns this configuration with another reported vLLM version. */
  public SimulatorConfig withVersion(String version) {
    return with(draft -> draft.version = version);
  }

  /** Returns this configuration with other server options. */
  public SimulatorConfig withServer(ServerOptions server) {
    return with(draft -> draft.server = server);
  }

  /** Returns this configuration with other faults that are active from the start. */
  public SimulatorConfig withFaults(List<Fault> faults) {
    return with(draft -> draft.faults = faults);
  }

  /** Returns this configuration with the fault controls on a port; 0 for a free one. */
  public SimulatorConfig withAdminPort(int adminPort) {
    return with(draft -> draft.adminPort = OptionalInt.of(adminPort));
  }

  /** Returns this configuration with a restart after every death. */
  public SimulatorConfig withBootAfterDeath(Duration bootAfterDeath) {
    return with(draft -> draft.bootAfterDeath = Optional.of(bootAfterDeath));
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

  private SimulatorConfig with(Consumer<Draft> change) {
    Draft draft = new Draft(this);
    change.accept(draft);
    return draft.build();
  }

  /** The same fields in mutable form, so that copying lists them in one place only. */
  private static final class Draft {

    private String host;
    private int port;
    private List<String> models;
    private Timing timing;
    private Scheduling scheduling;
    private int maxModelLen;
    private boolean prefixCaching;
    private OptionalInt kvBlocks;
    private int blockTokens;
    private String version;
    private ServerOptions server;
    private List<Fault> faults;
    private OptionalInt adminPort;
    private Optional<Duration> bootAfterDeath;

    Draft(SimulatorConfig config) {
      host = config.host;
      port = config.port;
      models = config.models;
      timing = config.timing;
      scheduling = config.scheduling;
      maxModelLen = config.maxModelLen;
      prefixCaching = config.prefixCaching;
      kvBlocks = config.kvBlocks;
      blockTokens = config.blockTokens;
      version = config.version;
      server = config.server;
      faults = config.faults;
      adminPort = config.adminPort;
      bootAfterDeath = config.bootAfterDeath;
    }

    SimulatorConfig build() {
      return new SimulatorConfig(
          host,
          port,
          models,
          timing,
          scheduling,
          maxModelLen,
          prefixCaching,
          kvBlocks,
          blockTokens,
          version,
          server,
          faults,
          adminPort,
          bootAfterDeath);
    }
  }
}
