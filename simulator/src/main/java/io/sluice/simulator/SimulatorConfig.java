package io.sluice.simulator;

import io.sluice.simulator.engine.EngineConfig;
import io.sluice.simulator.engine.GpuProfile;
import io.sluice.simulator.engine.Scheduling;
import io.sluice.simulator.engine.SchedulingPolicy;
import io.sluice.simulator.engine.Timing;
import io.sluice.simulator.events.KvEventsConfig;
import io.sluice.simulator.fault.Fault;
import io.sluice.simulator.release.Release;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.function.Consumer;

/**
 * How a simulated engine is set up. Start from {@link #of} and change what differs.
 *
 * @param host the address to listen on
 * @param port the port to listen on; 0 for a free one
 * @param models the served model names, at least one; the first one is used in answers and metrics
 * @param timing the GPUs, the model on them, and how fast they run
 * @param scheduling the limits and rules of the scheduler; that of adapters counts only while the
 *     server has adapters
 * @param maxModelLen the most tokens of prompt and output together
 * @param prefixCaching whether KV blocks are cached and found again
 * @param kvBlocks KV-cache blocks; empty for what fits beside the weights
 * @param blockTokens the tokens of a KV-cache block
 * @param version the vLLM version it reports
 * @param server the switches of the server
 * @param kvEvents where to publish changes of the KV cache, if anywhere
 * @param faults failures that are on from the start
 * @param adminPort the port of the fault controls; 0 for a free one, empty for none
 * @param bootAfterDeath how long the restart takes after the engine or its process died; empty for
 *     no restart
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
    Optional<KvEventsConfig> kvEvents,
    List<Fault> faults,
    OptionalInt adminPort,
    Optional<Duration> bootAfterDeath) {

  /** The model name when none is given. */
  public static final String DEFAULT_MODEL = "sluice-sim-8b";

  /** The minor version from which on vLLM decides steps ahead. */
  private static final int ASYNC_SINCE = 14;

  /** Checks the limits; messages say what to change. */
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

  /** The defaults of {@code vllm serve} on a GPU: loopback, a free port, its context. */
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
        Optional.empty(),
        List.of(),
        OptionalInt.empty(),
        Optional.empty());
  }

  /** Returns this configuration with the address to listen on changed. */
  public SimulatorConfig withHost(String host) {
    return with(draft -> draft.host = host);
  }

  /** Returns this configuration with the port to listen on changed. */
  public SimulatorConfig withPort(int port) {
    return with(draft -> draft.port = port);
  }

  /** Returns this configuration with the served model names changed. */
  public SimulatorConfig withModels(List<String> models) {
    return with(draft -> draft.models = models);
  }

  /** Returns this configuration with other GPUs, another model, or other speed or noise. */
  public SimulatorConfig withTiming(Timing timing) {
    return with(draft -> draft.timing = timing);
  }

  /** Returns this configuration with the speed factor changed. */
  public SimulatorConfig withSpeed(double speed) {
    return withTiming(timing.withSpeed(speed));
  }

  /** Returns this configuration with the width of the noise changed. */
  public SimulatorConfig withNoise(double noise) {
    return withTiming(timing.withNoise(timing.seed(), noise, timing.stallsPerThousand()));
  }

  /** Returns this configuration with other limits and rules of the scheduler. */
  public SimulatorConfig withScheduling(Scheduling scheduling) {
    return with(draft -> draft.scheduling = scheduling);
  }

  /** Returns this configuration with the limit of running sequences changed. */
  public SimulatorConfig withMaxNumSeqs(int maxNumSeqs) {
    return withScheduling(scheduling.withLimits(maxNumSeqs, scheduling.maxNumBatchedTokens()));
  }

  /** Returns this configuration with the context length changed. */
  public SimulatorConfig withMaxModelLen(int maxModelLen) {
    return with(draft -> draft.maxModelLen = maxModelLen);
  }

  /** Returns this configuration with prefix caching on or off. */
  public SimulatorConfig withPrefixCaching(boolean prefixCaching) {
    return with(draft -> draft.prefixCaching = prefixCaching);
  }

  /** Returns this configuration with the size of the KV cache changed. */
  public SimulatorConfig withKvBlocks(int kvBlocks) {
    return with(draft -> draft.kvBlocks = OptionalInt.of(kvBlocks));
  }

  /** Returns this configuration with KV blocks of another size. */
  public SimulatorConfig withBlockTokens(int blockTokens) {
    return with(draft -> draft.blockTokens = blockTokens);
  }

  /** Returns this configuration with the reported vLLM version changed. */
  public SimulatorConfig withVersion(String version) {
    return with(draft -> draft.version = version);
  }

  /** Returns this configuration with the HTTP server's switches changed. */
  public SimulatorConfig withServer(ServerOptions server) {
    return with(draft -> draft.server = server);
  }

  /** Returns this configuration with KV events published. */
  public SimulatorConfig withKvEvents(KvEventsConfig kvEvents) {
    return with(draft -> draft.kvEvents = Optional.of(kvEvents));
  }

  /** Returns this configuration with other failures on from the start. */
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

  /** Returns how its engine is set up. */
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

  /** The same fields, open to change: the one place that lists them for copying. */
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
    private Optional<KvEventsConfig> kvEvents;
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
      kvEvents = config.kvEvents;
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
          kvEvents,
          faults,
          adminPort,
          bootAfterDeath);
    }
  }
}
