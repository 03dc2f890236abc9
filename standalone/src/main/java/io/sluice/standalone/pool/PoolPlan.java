package io.sluice.standalone.pool;

import io.sluice.simulator.ServerOptions;
import io.sluice.simulator.SimulatorConfig;
import io.sluice.simulator.engine.timing.GpuProfile;
import io.soabase.recordbuilder.core.RecordBuilder;
import io.soabase.recordbuilder.core.RecordBuilder.BuilderMode;
import java.net.URI;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * The parts of a local pool.
 *
 * @param kafka a Kafka to use instead of an embedded one
 * @param redis a Redis to use instead of an embedded one
 * @param access the services' settings for access to these, such as {@code kafka-config}
 * @param gatewayVariables the gateway's variables; they set what the plan does not
 * @param dataDirectory where the pool keeps records and files; empty for nowhere
 * @param exposure what other machines may reach; of the Kafka and Redis, only embedded ones
 * @param partitions of the pool's topics
 * @param models the router's setting: the models that the pool is there to serve; empty for
 *     whatever its engines turn out to serve
 * @param fallbacks the router's setting: which model stands in for which
 */
@RecordBuilder
@RecordBuilder.Options(builderMode = BuilderMode.STAGED_REQUIRED_ONLY, enableWither = false)
public record PoolPlan(
    Ports ports,
    Optional<String> kafka,
    Optional<String> redis,
    Map<String, String> access,
    Map<String, String> gatewayVariables,
    Optional<Path> dataDirectory,
    Exposure exposure,
    int partitions,
    String models,
    String fallbacks,
    List<WorkerPlan> workers) {

  /** The model of the simulated tiers. */
  public static final String MODEL = "sluice-8b";

  /** The small model that is its fallback. */
  public static final String FALLBACK_MODEL = "sluice-mini";

  /** Fewer than in a cluster, because a pool in one process starts faster with few. */
  public static final int LOCAL_PARTITIONS = 8;

  /** Other variables are not the gateway's alone: commands find another pool with them. */
  private static final String GATEWAY_PREFIX = "SLUICE_GATEWAY_";

  private static final int FALLBACK_CONTEXT = 4_096;
  private static final int EXTERNAL_CONCURRENT = 256;

  /**
   * Like {@code vllm serve --enable-prompt-tokens-details --enable-auto-tool-choice}: routers learn
   * from the number of cached tokens, and clients can try tools.
   */
  private static final ServerOptions ENGINE_OPTIONS =
      ServerOptions.with(
          options -> {
            options.promptTokensDetails = true;
            options.autoToolChoice = true;
          });

  /**
   * The simulation of a tier. Quantized weights are fast but leave little room for context; full
   * weights are the opposite.
   */
  private record Tier(String name, GpuProfile profile, int context, int concurrent) {}

  private static final List<Tier> TIERS =
      List.of(
          new Tier("fast", GpuProfile.H100_FP8, 2_048, 64),
          new Tier("balanced", GpuProfile.RTX4090, 4_096, 32),
          new Tier("precise", GpuProfile.A100_80, 32_768, 48));

  /**
   * Plans a pool of simulated engines: this many workers, distributed over the three tiers in turn,
   * and one worker for the fallback model.
   */
  public static PoolPlan simulated(Ports ports, int workers, Optional<GpuProfile> profile) {
    List<WorkerPlan> plans = new ArrayList<>();
    for (int i = 0; i < workers; i++) {
      // The tier that accepts every prompt comes first, so that a pool of one worker can serve all
      // requests.
      Tier tier = TIERS.get((i + TIERS.size() - 1) % TIERS.size());
      String suffix = workers <= TIERS.size() ? "" : "-" + (i / TIERS.size() + 1);
      SimulatorConfig engine =
          SimulatorConfig.of(profile.orElse(tier.profile()))
              .withServer(ENGINE_OPTIONS)
              .withModels(List.of(MODEL))
              .withMaxModelLen(tier.context());
      plans.add(
          new WorkerPlan(
              tier.name() + suffix,
              Optional.of(tier.name()),
              new WorkerPlan.Engine.Simulated(engine),
              tier.concurrent()));
    }
    SimulatorConfig fallback =
        SimulatorConfig.of(profile.orElse(GpuProfile.L4))
            .withServer(ENGINE_OPTIONS)
            .withModels(List.of(FALLBACK_MODEL))
            .withMaxModelLen(FALLBACK_CONTEXT);
    plans.add(
        new WorkerPlan(
            "fallback", Optional.empty(), new WorkerPlan.Engine.Simulated(fallback), 16));
    int longest = TIERS.getLast().context();
    return of(
        ports,
        "%s=%s,%s=%s".formatted(MODEL, longest, FALLBACK_MODEL, FALLBACK_CONTEXT),
        MODEL + "=" + FALLBACK_MODEL,
        plans);
  }

  /** Plans a pool over real engines that need no key, with a worker for each. */
  public static PoolPlan over(Ports ports, List<URI> engines, Optional<String> model) {
    return over(ports, engines, model, Optional.empty());
  }

  /**
   * Plans a pool over real engines, with a worker for each.
   *
   * @param model the name under which they serve; empty for the names that they list themselves
   * @param apiKey the bearer token that they require
   */
  public static PoolPlan over(
      Ports ports, List<URI> engines, Optional<String> model, Optional<String> apiKey) {
    List<WorkerPlan> plans = new ArrayList<>();
    for (URI engine : engines) {
      plans.add(
          new WorkerPlan(
              "worker-" + (plans.size() + 1),
              Optional.empty(),
              new WorkerPlan.Engine.External(engine, model, apiKey, false),
              EXTERNAL_CONCURRENT));
    }
    return of(ports, "", "", plans);
  }

  private static PoolPlan of(
      Ports ports, String models, String fallbacks, List<WorkerPlan> workers) {
    return PoolPlanBuilder.builder()
        .ports(ports)
        .access(Map.of())
        .gatewayVariables(Map.of())
        .exposure(Exposure.NONE)
        .partitions(LOCAL_PARTITIONS)
        .models(models)
        .fallbacks(fallbacks)
        .workers(List.copyOf(workers))
        .build();
  }

  /** Returns the tiers of the workers that have one, by worker id. */
  public Map<String, String> tiers() {
    return workers.stream()
        .filter(worker -> worker.tier().isPresent())
        .collect(Collectors.toMap(WorkerPlan::id, worker -> worker.tier().orElseThrow()));
  }

  /** Returns this plan with engines that need no warm-up. */
  public PoolPlan withWarmEngines() {
    return PoolPlanBuilder.builder(this)
        .workers(workers.stream().map(WorkerPlan::withWarmEngine).toList())
        .build();
  }

  /** Returns this plan with an existing Kafka or Redis. */
  public PoolPlan using(Optional<String> otherKafka, Optional<String> otherRedis) {
    return PoolPlanBuilder.builder(this).kafka(otherKafka).redis(otherRedis).build();
  }

  /** Returns this plan with these settings for access to an existing Kafka or Redis. */
  public PoolPlan withAccess(Map<String, String> settings) {
    return PoolPlanBuilder.builder(this).access(Map.copyOf(settings)).build();
  }

  /** Returns this plan with the gateway's variables of an environment. */
  public PoolPlan withGatewayVariables(Map<String, String> environment) {
    Map<String, String> variables = new HashMap<>(environment);
    variables.keySet().removeIf(name -> !name.startsWith(GATEWAY_PREFIX));
    return PoolPlanBuilder.builder(this).gatewayVariables(Map.copyOf(variables)).build();
  }

  /** Returns this plan with its records stored in a directory. */
  public PoolPlan storedIn(Optional<Path> directory) {
    return PoolPlanBuilder.builder(this).dataDirectory(directory).build();
  }

  /** Returns this plan with more of it open to other machines. */
  public PoolPlan open(Exposure other) {
    return PoolPlanBuilder.builder(this).exposure(other).build();
  }

  /** Returns this plan with another number of partitions. */
  public PoolPlan withPartitions(int count) {
    return PoolPlanBuilder.builder(this).partitions(count).build();
  }
}
