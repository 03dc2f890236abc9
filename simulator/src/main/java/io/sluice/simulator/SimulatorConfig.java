package io.sluice.simulator;

import io.sluice.simulator.engine.EngineConfig;
import io.sluice.simulator.engine.GpuProfile;
import io.sluice.simulator.engine.ModelSize;
import io.sluice.simulator.engine.Scheduling;
import io.sluice.simulator.engine.SchedulingPolicy;
import io.sluice.simulator.engine.Timing;
import io.sluice.simulator.events.KvEventsConfig;
import io.sluice.simulator.fault.Fault;
import io.sluice.simulator.http.ServerOptions;
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
 * @param profile the GPU whose speed and memory it has
 * @param modelSize the size of the model on it
 * @param tensorParallel over how many of these GPUs the model is spread
 * @param maxModelLen the most tokens of prompt and output together
 * @param maxNumSeqs the most running sequences
 * @param maxNumBatchedTokens the most tokens computed in one step
 * @param longPrefillTokenThreshold the most tokens of one prompt in one step; 0 for no such limit
 * @param policy who is admitted first
 * @param maxLoras the most LoRA adapters in one step
 * @param prefixCaching whether KV blocks are cached and found again
 * @param kvBlocks KV-cache blocks of 16 tokens; empty for what fits beside the weights
 * @param seed the seed of the noise on step times
 * @param noise the width of that noise; 0 for none
 * @param stallsPerThousand how many of 1,000 steps take 2 to 5 times as long
 * @param speed how many times faster than the GPU it runs; 1 for real time
 * @param version the vLLM version it reports
 * @param server the switches of the HTTP server
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
    GpuProfile profile,
    ModelSize modelSize,
    int tensorParallel,
    int maxModelLen,
    int maxNumSeqs,
    int maxNumBatchedTokens,
    int longPrefillTokenThreshold,
    SchedulingPolicy policy,
    int maxLoras,
    boolean prefixCaching,
    OptionalInt kvBlocks,
    long seed,
    double noise,
    double stallsPerThousand,
    double speed,
    String version,
    ServerOptions server,
    Optional<KvEventsConfig> kvEvents,
    List<Fault> faults,
    OptionalInt adminPort,
    Optional<Duration> bootAfterDeath) {

  /** The model name when none is given. */
  public static final String DEFAULT_MODEL = "sluice-sim-8b";

  private static final int DEFAULT_MAX_MODEL_LEN = 16_384;
  private static final double DEFAULT_NOISE = 0.03;

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

  /** The defaults of {@code vllm serve} on a GPU: loopback, a free port, a context of 16,384. */
  public static SimulatorConfig of(GpuProfile profile) {
    return new Draft(profile).build();
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

  /** Returns this configuration with the context length changed. */
  public SimulatorConfig withMaxModelLen(int maxModelLen) {
    return with(draft -> draft.maxModelLen = maxModelLen);
  }

  /** Returns this configuration with the limit of running sequences changed. */
  public SimulatorConfig withMaxNumSeqs(int maxNumSeqs) {
    return with(draft -> draft.maxNumSeqs = maxNumSeqs);
  }

  /** Returns this configuration with the token budget of a step changed. */
  public SimulatorConfig withMaxNumBatchedTokens(int maxNumBatchedTokens) {
    return with(draft -> draft.maxNumBatchedTokens = maxNumBatchedTokens);
  }

  /** Returns this configuration with the size of the KV cache changed. */
  public SimulatorConfig withKvBlocks(int kvBlocks) {
    return with(draft -> draft.kvBlocks = OptionalInt.of(kvBlocks));
  }

  /** Returns this configuration with the seed of the noise changed. */
  public SimulatorConfig withSeed(long seed) {
    return with(draft -> draft.seed = seed);
  }

  /** Returns this configuration with the width of the noise changed. */
  public SimulatorConfig withNoise(double noise) {
    return with(draft -> draft.noise = noise);
  }

  /** Returns this configuration with the speed factor changed. */
  public SimulatorConfig withSpeed(double speed) {
    return with(draft -> draft.speed = speed);
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

  /** Returns this configuration with a model of another size. */
  public SimulatorConfig withModelSize(ModelSize modelSize) {
    return with(draft -> draft.modelSize = modelSize);
  }

  /** Returns this configuration with the model spread over so many GPUs. */
  public SimulatorConfig withTensorParallel(int tensorParallel) {
    return with(draft -> draft.tensorParallel = tensorParallel);
  }

  /** Returns this configuration with a limit on one prompt's tokens in a step. */
  public SimulatorConfig withLongPrefillTokenThreshold(int tokens) {
    return with(draft -> draft.longPrefillTokenThreshold = tokens);
  }

  /** Returns this configuration with another scheduling policy. */
  public SimulatorConfig withPolicy(SchedulingPolicy policy) {
    return with(draft -> draft.policy = policy);
  }

  /** Returns this configuration with another limit of adapters in one step. */
  public SimulatorConfig withMaxLoras(int maxLoras) {
    return with(draft -> draft.maxLoras = maxLoras);
  }

  /** Returns this configuration with prefix caching on or off. */
  public SimulatorConfig withPrefixCaching(boolean prefixCaching) {
    return with(draft -> draft.prefixCaching = prefixCaching);
  }

  /** Returns this configuration with rare long steps. */
  public SimulatorConfig withStallsPerThousand(double stallsPerThousand) {
    return with(draft -> draft.stallsPerThousand = stallsPerThousand);
  }

  /** Returns this configuration with a restart after every death. */
  public SimulatorConfig withBootAfterDeath(Duration bootAfterDeath) {
    return with(draft -> draft.bootAfterDeath = Optional.of(bootAfterDeath));
  }

  EngineConfig engine() {
    Timing timing =
        Timing.of(profile)
            .withModel(modelSize)
            .withTensorParallel(tensorParallel)
            .withNoise(seed, noise, stallsPerThousand)
            .withSpeed(speed);
    boolean adapters = server.runtimeLora() || !server.loras().isEmpty();
    Scheduling scheduling =
        new Scheduling(
            maxNumSeqs,
            maxNumBatchedTokens,
            longPrefillTokenThreshold,
            policy,
            adapters ? maxLoras : 0);
    return new EngineConfig(
        timing,
        scheduling,
        maxModelLen,
        kvBlocks.isPresent() ? kvBlocks.getAsInt() : timing.kvBlocks(),
        prefixCaching);
  }

  private SimulatorConfig with(Consumer<Draft> change) {
    Draft draft = new Draft(this);
    change.accept(draft);
    return draft.build();
  }

  /** The same fields, open to change: the one place that lists them for copying. */
  private static final class Draft {

    private final GpuProfile profile;
    private String host = "127.0.0.1";
    private int port;
    private List<String> models = List.of(DEFAULT_MODEL);
    private ModelSize modelSize = ModelSize.B8;
    private int tensorParallel = 1;
    private int maxModelLen = DEFAULT_MAX_MODEL_LEN;
    private int maxNumSeqs;
    private int maxNumBatchedTokens;
    private int longPrefillTokenThreshold;
    private SchedulingPolicy policy = SchedulingPolicy.FCFS;
    private int maxLoras = 1;
    private boolean prefixCaching = true;
    private OptionalInt kvBlocks = OptionalInt.empty();
    private long seed;
    private double noise = DEFAULT_NOISE;
    private double stallsPerThousand;
    private double speed = 1.0;
    private String version = "0.30.0";
    private ServerOptions server = ServerOptions.defaults();
    private Optional<KvEventsConfig> kvEvents = Optional.empty();
    private List<Fault> faults = List.of();
    private OptionalInt adminPort = OptionalInt.empty();
    private Optional<Duration> bootAfterDeath = Optional.empty();

    Draft(GpuProfile profile) {
      this.profile = profile;
      maxNumSeqs = profile.maxNumSeqs();
      maxNumBatchedTokens = profile.maxNumBatchedTokens();
    }

    Draft(SimulatorConfig config) {
      profile = config.profile;
      host = config.host;
      port = config.port;
      models = config.models;
      maxModelLen = config.maxModelLen;
      maxNumSeqs = config.maxNumSeqs;
      maxNumBatchedTokens = config.maxNumBatchedTokens;
      modelSize = config.modelSize;
      tensorParallel = config.tensorParallel;
      longPrefillTokenThreshold = config.longPrefillTokenThreshold;
      policy = config.policy;
      maxLoras = config.maxLoras;
      prefixCaching = config.prefixCaching;
      stallsPerThousand = config.stallsPerThousand;
      bootAfterDeath = config.bootAfterDeath;
      kvBlocks = config.kvBlocks;
      seed = config.seed;
      noise = config.noise;
      speed = config.speed;
      version = config.version;
      server = config.server;
      kvEvents = config.kvEvents;
      faults = config.faults;
      adminPort = config.adminPort;
    }

    SimulatorConfig build() {
      return new SimulatorConfig(
          host,
          port,
          models,
          profile,
          modelSize,
          tensorParallel,
          maxModelLen,
          maxNumSeqs,
          maxNumBatchedTokens,
          longPrefillTokenThreshold,
          policy,
          maxLoras,
          prefixCaching,
          kvBlocks,
          seed,
          noise,
          stallsPerThousand,
          speed,
          version,
          server,
          kvEvents,
          faults,
          adminPort,
          bootAfterDeath);
    }
  }
}
