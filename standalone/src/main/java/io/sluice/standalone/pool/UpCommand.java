package io.sluice.standalone.pool;

import io.sluice.config.StopSignal;
import io.sluice.fleet.RedisConnection;
import io.sluice.simulator.engine.GpuProfile;
import io.sluice.worker.app.Worker;
import java.io.PrintWriter;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code sluice up}: runs a local pool on fixed ports until Ctrl-C. */
@Command(
    name = "up",
    sortOptions = false,
    description = "Run a whole pool on this machine, until Ctrl-C.",
    footer = {
      "",
      "Gateway http://127.0.0.1:8080/v1, Kafka 127.0.0.1:19092, Redis 127.0.0.1:16379, router 8090,",
      "workers from 8081."
    })
public final class UpCommand implements Callable<Integer> {
  @Spec
  @SuppressWarnings("NullAway.Init") // set by picocli
  private CommandSpec spec;

  @Option(
      names = "--workers",
      paramLabel = "N",
      description =
          "The number of simulated GPUs, distributed over the tiers, without the fallback (default: 3)")
  private Optional<Integer> workers = Optional.empty();

  @Option(
      names = "--engine",
      paramLabel = "URL",
      description =
          "The URL of a vLLM or OpenAI-compatible server to use instead of simulators; repeatable")
  private List<URI> engines = List.of();

  @Option(
      names = "--model",
      paramLabel = "NAME",
      description =
          "The name under which the engines serve (default: the names that they list themselves)")
  private Optional<String> model = Optional.empty();

  @Option(
      names = "--engine-api-key",
      paramLabel = "KEY",
      defaultValue = "${env:SLUICE_ENGINE_API_KEY}",
      description = "The bearer token that the engines require ($SLUICE_ENGINE_API_KEY)")
  private Optional<String> engineApiKey = Optional.empty();

  @Option(
      names = "--profile",
      paramLabel = "GPU",
      converter = ProfileConverter.class,
      description =
          "Simulate this GPU in every tier: h100, h100-fp8, a100-80, a100-40, rtx4090, l40s or l4")
  private Optional<GpuProfile> profile = Optional.empty();

  @Option(
      names = "--data",
      paramLabel = "DIR",
      description =
          "Store requests, replies and files in this directory, across restarts (default: temporary)")
  private Optional<Path> data = Optional.empty();

  @Option(
      names = "--kafka",
      paramLabel = "HOST:PORT",
      description = "Use this Kafka instead of an embedded one")
  private Optional<String> kafka = Optional.empty();

  @Option(
      names = "--kafka-config",
      paramLabel = "FILE",
      defaultValue = "${env:SLUICE_KAFKA_CONFIG}",
      description =
          "With --kafka: a properties file for the Kafka clients, such as security settings"
              + " ($SLUICE_KAFKA_CONFIG)")
  private Optional<Path> kafkaConfig = Optional.empty();

  @Option(
      names = "--redis",
      paramLabel = "URL",
      description = "Use this Redis instead of an embedded one")
  private Optional<String> redis = Optional.empty();

  @Option(
      names = "--redis-password-file",
      paramLabel = "FILE",
      defaultValue = "${env:SLUICE_REDIS_PASSWORD_FILE}",
      description = "With --redis: a file that holds its password ($SLUICE_REDIS_PASSWORD_FILE)")
  private Optional<Path> redisPasswordFile = Optional.empty();

  @Option(
      names = "--redis-ca",
      paramLabel = "FILE",
      defaultValue = "${env:SLUICE_REDIS_CA}",
      description =
          "With --redis: the certificates in PEM by which it proves its identity with rediss://"
              + " ($SLUICE_REDIS_CA)")
  private Optional<Path> redisCertificates = Optional.empty();

  @Option(
      names = "--partitions",
      paramLabel = "N",
      description =
          "The number of partitions of the pool's topics, fixed once they exist (default: 8)")
  private int partitions = PoolPlan.LOCAL_PARTITIONS;

  @Override
  public Integer call() throws InterruptedException {
    PoolPlan plan = plan();
    long startNanos = System.nanoTime();
    LocalPool pool = LocalPool.start(plan);
    StopSignal stop = StopSignal.running(pool::close);
    print(pool, Duration.ofNanos(System.nanoTime() - startNanos));
    stop.await();
    return 0;
  }

  private PoolPlan plan() {
    if (!engines.isEmpty() && (workers.isPresent() || profile.isPresent())) {
      throw new ParameterException(
          spec.commandLine(),
          "--engine selects real engines; --workers and --profile are for simulated ones");
    }
    for (URI engine : engines) {
      if (engine.getHost() == null || !String.valueOf(engine.getScheme()).startsWith("http")) {
        throw new ParameterException(
            spec.commandLine(),
            "--engine must be a URL such as http://127.0.0.1:8000, not '" + engine + "'");
      }
    }
    if (model.isPresent() && engines.isEmpty()) {
      throw new ParameterException(
          spec.commandLine(), "--model sets the name of real engines; give --engine too");
    }
    if (workers.isPresent() && workers.get() < 1) {
      throw new ParameterException(spec.commandLine(), "--workers must be at least 1");
    }
    if (partitions < 1) {
      throw new ParameterException(spec.commandLine(), "--partitions must be at least 1");
    }
    if (data.isPresent() && kafka.isPresent()) {
      throw new ParameterException(
          spec.commandLine(), "--data is for the embedded Kafka; your own stores its data itself");
    }
    PoolPlan plan =
        engines.isEmpty()
            ? PoolPlan.simulated(Ports.standard(), workers.orElse(3), profile)
            : PoolPlan.over(Ports.standard(), engines, model, engineApiKey);
    return plan.using(kafka, redis).withAccess(access()).storedIn(data).withPartitions(partitions);
  }

  /** The embedded Kafka and Redis need nothing of this, whatever the environment says. */
  private Map<String, String> access() {
    Map<String, String> settings = new HashMap<>();
    if (kafka.isPresent()) {
      kafkaConfig.ifPresent(file -> settings.put("kafka-config", file.toString()));
    }
    if (redis.isPresent()) {
      redisPasswordFile.ifPresent(file -> settings.put("redis-password-file", file.toString()));
      redisCertificates.ifPresent(file -> settings.put("redis-ca", file.toString()));
    }
    return settings;
  }

  private void print(LocalPool pool, Duration took) {
    PrintWriter out = spec.commandLine().getOut();
    out.printf(Locale.ROOT, "Sluice is up after %.1f s.%n%n", took.toMillis() / 1000.0);
    out.printf("  Kafka      %s%n", pool.kafka());
    out.printf("  Redis      %s%n", RedisConnection.shown(pool.redis()));
    out.printf("  gateway    http://127.0.0.1:%d/v1%n", pool.gatewayPort());
    out.printf("  router     http://127.0.0.1:%d/health%n", pool.routerPort());
    for (int i = 0; i < pool.workers().size(); i++) {
      Worker worker = pool.workers().get(i);
      out.printf(
          "  worker     http://127.0.0.1:%d/health  %s%s%n",
          worker.httpPort(), worker.id(), served(worker, pool.plan().workers().get(i)));
    }
    String ask = modelOption(pool);
    out.println();
    out.println("Try, in another terminal:");
    out.printf("  ./sluice chat %s\"Why is the sky blue?\"%n", ask);
    out.printf("  ./sluice batch %sexamples/prompts.jsonl -o out.jsonl%n", ask);
    out.println();
    out.println("Ctrl-C stops it.");
    out.flush();
  }

  /** Returns the models that a real engine serves, or that it has not responded yet. */
  private static String served(Worker worker, WorkerPlan plan) {
    return switch (plan.engine()) {
      case WorkerPlan.Engine.Simulated simulated -> "";
      case WorkerPlan.Engine.External external ->
          worker.models().isEmpty()
              ? "  waits for " + external.url() + " to answer"
              : "  serves " + String.join(", ", worker.models());
    };
  }

  /** Returns the option that clients need if the pool does not serve the simulators' model. */
  private String modelOption(LocalPool pool) {
    if (engines.isEmpty()) {
      return "";
    }
    String name =
        pool.workers().stream()
            .flatMap(worker -> worker.models().stream())
            .findFirst()
            .or(() -> model)
            .orElse("NAME");
    return name.equals(PoolPlan.MODEL) ? "" : "--model " + name + " ";
  }
}
