package io.sluice.standalone.pool;

import io.sluice.config.StopSignal;
import io.sluice.simulator.engine.timing.GpuProfile;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
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
      "Gateway http://127.0.0.1:8080/v1, Kafka 127.0.0.1:19092, Redis 127.0.0.1:16379, router 8090,"
          + " workers from 8081. The gateway's variables, such as SLUICE_GATEWAY_CORS_ORIGINS, apply,"
          + " except those of its address, its port and its files."
    })
public final class UpCommand implements Callable<Integer> {
  @Spec
  @SuppressWarnings("NullAway.Init") // set by picocli
  private CommandSpec spec;

  @Option(
      names = "--workers",
      paramLabel = "N",
      description =
          "The number of simulated GPUs, distributed over the tiers, without the fallback (default:"
              + " 3).")
  private Optional<Integer> workers = Optional.empty();

  @Option(
      names = "--engine",
      paramLabel = "URL",
      description =
          "The URL of a vLLM or OpenAI-compatible server to use instead of simulators; repeatable.")
  private List<URI> engines = List.of();

  @Option(
      names = "--model",
      paramLabel = "NAME",
      description =
          "The name under which the engines serve (default: the names that they list themselves).")
  private Optional<String> model = Optional.empty();

  @Option(
      names = "--engine-api-key",
      paramLabel = "KEY",
      defaultValue = "${env:SLUICE_ENGINE_API_KEY}",
      description = "The bearer token that the engines require ($SLUICE_ENGINE_API_KEY).")
  private Optional<String> engineApiKey = Optional.empty();

  @Option(
      names = "--profile",
      paramLabel = "GPU",
      converter = ProfileConverter.class,
      description =
          "Simulate this GPU in every tier: h100, h100-fp8, a100-80, a100-40, rtx4090, l40s or l4.")
  private Optional<GpuProfile> profile = Optional.empty();

  @Mixin private DataOptions data = new DataOptions();
  @Mixin private ExposureOptions exposure = new ExposureOptions();
  @Mixin private BackendOptions backends = new BackendOptions();

  @Option(
      names = "--partitions",
      paramLabel = "N",
      description =
          "The number of partitions of the pool's topics, fixed once they exist (default: 8).")
  private int partitions = PoolPlan.LOCAL_PARTITIONS;

  private final Ports ports;

  /** Creates the command for the fixed ports. */
  public UpCommand() {
    this(Ports.standard());
  }

  UpCommand(Ports ports) {
    this.ports = ports;
  }

  @Override
  public Integer call() throws InterruptedException {
    PoolPlan plan = plan();
    long startNanos = System.nanoTime();
    Started started = new Started();
    StopSignal stop = StopSignal.running(started::close);
    LocalPool pool = LocalPool.start(plan, started);
    new UpScreen(pool, spec.commandLine().getOut())
        .print(Duration.ofNanos(System.nanoTime() - startNanos));
    PoolGuard.watch(pool, this::end);
    stop.await();
    return 0;
  }

  /** Ends the process, after everything has stopped in order, so that a supervisor restarts it. */
  private void end(String reason) {
    spec.commandLine().getErr().println("sluice: " + reason + "; the pool ends");
    spec.commandLine().getErr().flush();
    System.exit(1);
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
    if (data.isContradiction()) {
      throw new ParameterException(spec.commandLine(), "give either --data or --no-data");
    }
    if (exposure.isWildcard()) {
      throw new ParameterException(
          spec.commandLine(),
          "--host must be the address at which other machines reach this one, not all addresses");
    }
    if (exposure.isOpen() && (backends.kafka().isPresent() || backends.redis().isPresent())) {
      throw new ParameterException(
          spec.commandLine(),
          "--host opens the embedded Kafka and Redis; with your own, start each service by itself");
    }
    PoolPlan plan =
        engines.isEmpty()
            ? PoolPlan.simulated(ports, workers.orElse(3), profile)
            : PoolPlan.over(ports, engines, model, engineApiKey);
    return plan.using(backends.kafka(), backends.redis())
        .withAccess(backends.access())
        .withGatewayVariables(System.getenv())
        .storedIn(data.directory(engines.isEmpty()))
        .open(exposure.exposure())
        .withPartitions(partitions);
  }
}
