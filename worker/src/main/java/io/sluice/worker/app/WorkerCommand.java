package io.sluice.worker.app;

import io.sluice.common.protocol.PropertiesFile;
import io.sluice.worker.config.WorkerConfig;
import io.sluice.worker.config.WorkerSetting;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/**
 * Runs one worker until it is told to stop. Flags win over the environment, the environment over
 * the file.
 */
@Command(
    name = "worker",
    description = "Run a worker: feeds one engine from its topic and streams the tokens back.")
public final class WorkerCommand implements Callable<Integer> {
  private static final Duration LOOK_AGAIN = Duration.ofSeconds(30);
  private static final Logger log = LoggerFactory.getLogger(WorkerCommand.class);

  @SuppressWarnings("NullAway.Init") // set by picocli
  @Spec
  private CommandSpec spec;

  @Option(names = "--id", description = "The worker's id, unique in the pool (SLUICE_WORKER_ID).")
  private @Nullable String id;

  @Option(
      names = {"--engine", "--engine-url"},
      description = "The engine's base URL (SLUICE_ENGINE_URL).")
  private @Nullable String engine;

  @Option(
      names = "--port",
      description = "Port of /health, /healthz and /prometheus, 0 = any (SLUICE_WORKER_PORT).")
  private @Nullable String port;

  @Option(names = "--kafka", description = "Kafka bootstrap servers (SLUICE_KAFKA).")
  private @Nullable String kafka;

  @Option(names = "--redis", description = "The pool's Redis (SLUICE_REDIS).")
  private @Nullable String redis;

  @Option(names = "--pool", description = "The pool's name (SLUICE_POOL).")
  private @Nullable String pool;

  @Option(names = "--model", description = "Model name to serve under (SLUICE_MODEL).")
  private @Nullable String model;

  @Option(names = "--tier", description = "Quality tier (SLUICE_TIER).")
  private @Nullable String tier;

  @Option(names = "--lanes", description = "Lanes to serve, e.g. 2k,8k (SLUICE_LANES).")
  private @Nullable String lanes;

  @Option(
      names = "--max-concurrent",
      description = "Requests that run at once (SLUICE_MAX_CONCURRENT).")
  private @Nullable String maxConcurrent;

  @Option(names = "--partitions", description = "Partitions of the pool (SLUICE_PARTITIONS).")
  private @Nullable String partitions;

  @Option(
      names = "--replication",
      description = "Replicas of the worker's topic, 1 on a single broker (SLUICE_REPLICATION).")
  private @Nullable String replication;

  @Option(
      names = "--set",
      paramLabel = "KEY=VALUE",
      description =
          "Any other setting, e.g. --set gather-millis=0 --set kafka.security.protocol=SSL.")
  private Map<String, String> others = new HashMap<>();

  @Option(
      names = "--config",
      paramLabel = "FILE",
      description = "A properties file of settings; keys as for --set.")
  private @Nullable Path file;

  @Override
  public Integer call() throws IOException, InterruptedException {
    WorkerConfig config = config();
    var stopped = new CountDownLatch(1);
    Worker worker = Worker.start(config);
    Runtime.getRuntime()
        .addShutdownHook(
            new Thread(
                () -> {
                  worker.close();
                  stopped.countDown();
                },
                "sluice-shutdown"));
    announce(worker);
    stopped.await();
    return 0;
  }

  /** Says when requests can come; a worker whose engine is not there yet waits for it. */
  private void announce(Worker worker) throws InterruptedException {
    while (!worker.awaitReady(LOOK_AGAIN)) {
      log.info("event=waiting_for_engine worker={}", worker.id());
    }
    spec.commandLine()
        .getOut()
        .printf("worker %s ready: health on port %d%n", worker.id(), worker.httpPort());
    spec.commandLine().getOut().flush();
  }

  private WorkerConfig config() throws IOException {
    Map<String, String> settings = new HashMap<>();
    if (file != null) {
      settings.putAll(PropertiesFile.read(file));
    }
    settings.putAll(WorkerSetting.fromEnvironment(System.getenv()));
    settings.putAll(others);
    flags().forEach(settings::put);
    try {
      return WorkerConfig.of(settings);
    } catch (IllegalArgumentException e) {
      throw new ParameterException(
          spec.commandLine(), Objects.requireNonNullElse(e.getMessage(), e.toString()), e);
    }
  }

  private Map<String, String> flags() {
    Map<String, String> flags = new HashMap<>();
    put(flags, WorkerSetting.ID, id);
    put(flags, WorkerSetting.ENGINE_URL, engine);
    put(flags, WorkerSetting.PORT, port);
    put(flags, WorkerSetting.KAFKA, kafka);
    put(flags, WorkerSetting.REDIS, redis);
    put(flags, WorkerSetting.POOL, pool);
    put(flags, WorkerSetting.MODEL, model);
    put(flags, WorkerSetting.TIER, tier);
    put(flags, WorkerSetting.LANES, lanes);
    put(flags, WorkerSetting.MAX_CONCURRENT, maxConcurrent);
    put(flags, WorkerSetting.PARTITIONS, partitions);
    put(flags, WorkerSetting.REPLICATION, replication);
    return flags;
  }

  private static void put(
      Map<String, String> flags, WorkerSetting setting, @Nullable String value) {
    if (value != null) {
      flags.put(setting.key(), value);
    }
  }
}
