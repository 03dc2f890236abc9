package io.sluice.router.app;

import io.sluice.common.protocol.Lanes;
import io.sluice.common.protocol.PropertiesFile;
import io.sluice.router.catalog.FallbackModels;
import io.sluice.router.catalog.ModelCatalogue;
import io.sluice.router.classify.ClassifierRules;
import io.sluice.router.policy.PolicyWeights;
import java.io.IOException;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import picocli.CommandLine.Command;
import picocli.CommandLine.Help.Visibility;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code sluice router}: one router against a real Kafka and Redis, until it is told to stop. */
@Command(
    name = "router",
    sortOptions = false,
    showDefaultValues = true,
    description = "Runs a router: assigns requests to workers.",
    footer = {
      "",
      "Each option may also stand in a file, given as @FILE, or in the environment under the name in",
      "its description. Stops on SIGTERM; its partitions go to other routers at once."
    })
public final class RouterCommand implements Callable<Integer> {
  private static final Duration READY_WITHIN = Duration.ofMinutes(2);

  @Spec
  @SuppressWarnings("NullAway.Init") // set by picocli
  private CommandSpec spec;

  @Option(
      names = "--id",
      paramLabel = "NAME",
      defaultValue = "${env:SLUICE_ROUTER_ID}",
      showDefaultValue = Visibility.NEVER,
      description = "Unique among the routers; the host's name if not given (SLUICE_ROUTER_ID)")
  private Optional<String> id = Optional.empty();

  @Option(
      names = "--kafka",
      paramLabel = "HOST:PORT",
      defaultValue = "${env:SLUICE_KAFKA:-127.0.0.1:19092}",
      description = "Kafka's bootstrap servers (SLUICE_KAFKA)")
  private String kafka = "";

  @Option(
      names = "--redis",
      paramLabel = "URL",
      defaultValue = "${env:SLUICE_REDIS:-redis://127.0.0.1:16379}",
      description = "Redis (SLUICE_REDIS)")
  private String redis = "";

  @Option(
      names = "--pool",
      paramLabel = "NAME",
      defaultValue = "${env:SLUICE_POOL:-default}",
      description = "The pool's name in Redis (SLUICE_POOL)")
  private String pool = "";

  @Option(
      names = "--host",
      paramLabel = "ADDRESS",
      defaultValue = "${env:SLUICE_ROUTER_HOST:-0.0.0.0}",
      description = "Address of /health and /prometheus (SLUICE_ROUTER_HOST)")
  private String host = "";

  @Option(
      names = "--port",
      defaultValue = "${env:SLUICE_ROUTER_PORT:-8090}",
      description = "Port of /health and /prometheus (SLUICE_ROUTER_PORT)")
  private int port;

  @Option(
      names = "--models",
      paramLabel = "NAME=TOKENS,...",
      defaultValue = "${env:SLUICE_MODELS:-}",
      description =
          "The models that are waited for whoever is alive, and their longest context; what no worker"
              + " serves either is refused at once. If empty, after --model-grace (SLUICE_MODELS)")
  private String models = "";

  @Option(
      names = "--lanes",
      paramLabel = "SIZE,...",
      defaultValue = "${env:SLUICE_POOL_LANES:-2k,8k,32k,128k}",
      description = "The pool's lanes by context length; fixed for its life (SLUICE_POOL_LANES)")
  private String lanes = "";

  @Option(
      names = "--partitions",
      defaultValue = "${env:SLUICE_PARTITIONS:-48}",
      description = "Partitions of the pool's topics; fixed for its life (SLUICE_PARTITIONS)")
  private int partitions;

  @Option(
      names = "--replication",
      defaultValue = "${env:SLUICE_REPLICATION}",
      showDefaultValue = Visibility.NEVER,
      description =
          "Replicas of the pool's topics; what the cluster has, at most 3, if not given"
              + " (SLUICE_REPLICATION)")
  private Optional<Short> replication = Optional.empty();

  @Option(
      names = "--threads",
      defaultValue = "${env:SLUICE_ROUTER_THREADS:-2}",
      description = "Stream threads (SLUICE_ROUTER_THREADS)")
  private int threads;

  @Mixin private LimitOptions limits = new LimitOptions();

  @Option(
      names = "--assumed-output",
      paramLabel = "TOKENS",
      defaultValue = "${env:SLUICE_ASSUMED_OUTPUT_TOKENS:-512}",
      description = "Output of a chat that names no max_tokens (SLUICE_ASSUMED_OUTPUT_TOKENS)")
  private int assumedOutput;

  @Option(
      names = "--weights",
      paramLabel = "NAME=NUMBER,...",
      defaultValue = "${env:SLUICE_WEIGHTS:-}",
      description =
          "What counts in the choice of a worker, where it shall differ from the defaults, e.g."
              + " ttft=8,prefix=0.5 (SLUICE_WEIGHTS)")
  private String weights = "";

  @Option(
      names = "--fallback",
      paramLabel = "MODEL=FALLBACK,...",
      defaultValue = "${env:SLUICE_FALLBACK:-}",
      description = "Models that stand in for others (SLUICE_FALLBACK)")
  private String fallbacks = "";

  @Option(
      names = "--tiers",
      paramLabel = "NAME,...",
      defaultValue = "${env:SLUICE_TIERS:-" + ClassifierRules.STANDARD_TIERS + "}",
      description = "The quality tiers, quickest first; empty for none (SLUICE_TIERS)")
  private String tiers = "";

  @Option(
      names = "--tier-words",
      paramLabel = "LONG,COMPLEX",
      defaultValue = "${env:SLUICE_TIER_WORDS:-150,300}",
      description =
          "Prompts of more words are not for the first tier, or complex (SLUICE_TIER_WORDS)")
  private String tierWords = "";

  @Option(
      names = "--tier-output",
      paramLabel = "LONG,COMPLEX",
      defaultValue = "${env:SLUICE_TIER_OUTPUT_TOKENS:-512,1024}",
      description = "The same for max_tokens (SLUICE_TIER_OUTPUT_TOKENS)")
  private String tierOutput = "";

  @Option(
      names = "--tier-temperature",
      defaultValue = "${env:SLUICE_TIER_TEMPERATURE:-0.3}",
      description =
          "Complex requests at most this hot are for the last tier (SLUICE_TIER_TEMPERATURE)")
  private double tierTemperature;

  @Option(
      names = "--state-dir",
      paramLabel = "DIR",
      defaultValue = "${env:SLUICE_STATE_DIR}",
      showDefaultValue = Visibility.NEVER,
      description = "Kafka Streams' own directory; a temporary one if not given (SLUICE_STATE_DIR)")
  private Optional<Path> stateDirectory = Optional.empty();

  @Option(
      names = "--config",
      paramLabel = "FILE",
      defaultValue = "${env:SLUICE_KAFKA_CONFIG}",
      showDefaultValue = Visibility.NEVER,
      description = "Kafka client properties, such as security settings (SLUICE_KAFKA_CONFIG)")
  private Optional<Path> kafkaConfig = Optional.empty();

  @Override
  public Integer call() throws InterruptedException {
    RouterConfig config = config();
    Router router = Router.start(config);
    CountDownLatch stopped = new CountDownLatch(1);
    Runtime.getRuntime()
        .addShutdownHook(
            Thread.ofPlatform()
                .name("router-stop")
                .unstarted(
                    () -> {
                      router.close();
                      stopped.countDown();
                    }));
    if (!router.awaitReady(READY_WITHIN)) {
      throw new IllegalStateException(
          "the router did not get its partitions within %d s; see the log, and whether Kafka at %s is well"
              .formatted(READY_WITHIN.toSeconds(), kafka));
    }
    spec.commandLine()
        .getOut()
        .printf("router %s ready: health on port %d%n", config.id(), router.port());
    spec.commandLine().getOut().flush();
    stopped.await();
    return 0;
  }

  private RouterConfig config() {
    try {
      return new RouterConfig(
          id.orElseGet(RouterCommand::hostName),
          kafka,
          kafkaConfig.map(this::read).orElse(Map.of()),
          redis,
          pool,
          host,
          port,
          partitions,
          replication,
          Lanes.parse(lanes),
          ModelCatalogue.parse(models),
          threads,
          limits.pending(),
          limits.maxFailures(),
          limits.longestDeadline(),
          assumedOutput,
          PolicyWeights.parse(weights),
          limits.maxWait(),
          limits.modelGrace(),
          ClassifierRules.parse(tiers, tierWords, tierOutput, tierTemperature),
          FallbackModels.parse(fallbacks),
          stateDirectory);
    } catch (IllegalArgumentException e) {
      throw new ParameterException(spec.commandLine(), String.valueOf(e.getMessage()), e);
    }
  }

  private Map<String, String> read(Path file) {
    try {
      return PropertiesFile.read(file);
    } catch (IOException e) {
      throw new ParameterException(
          spec.commandLine(), "cannot read --config " + file + ": " + e.getMessage(), e);
    }
  }

  private static String hostName() {
    try {
      return InetAddress.getLocalHost().getHostName();
    } catch (UnknownHostException e) {
      return "router";
    }
  }
}
