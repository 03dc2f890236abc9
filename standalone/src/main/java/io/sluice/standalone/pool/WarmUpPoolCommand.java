package io.sluice.standalone.pool;

import io.sluice.services.Commands;
import io.sluice.services.ServiceCommands;
import io.sluice.simulator.SimulatedEngine;
import io.sluice.simulator.SimulatorConfig;
import io.sluice.simulator.engine.GpuProfile;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/**
 * Runs the services' {@code warm-up} over a Kafka, a Redis and an engine of this process: in this
 * process or, given a command, in one that finds their addresses in its environment.
 */
@Command(
    name = "warm-up-pool",
    hidden = true,
    description = "Uses what a pool needs, so that the JVM can record its start-up cache.")
public final class WarmUpPoolCommand implements Callable<Integer> {
  private static final Duration OTHER_WITHIN = Duration.ofMinutes(15);

  @Parameters(arity = "0..*", paramLabel = "COMMAND", description = "The other process.")
  private List<String> command = List.of();

  @Override
  public Integer call() throws IOException, InterruptedException {
    Started started = new Started();
    try {
      var backends =
          new LocalBackends(PoolPlan.over(Ports.free(), List.of(), Optional.empty()), started);
      String kafka = backends.startKafka();
      String redis = backends.startRedis();
      var engine =
          started.add(
              SimulatedEngine.start(
                  SimulatorConfig.of(GpuProfile.H100_FP8).withModels(List.of(PoolPlan.MODEL))));
      return command.isEmpty()
          ? here("warm-up", "--kafka", kafka, "--redis", redis, "--engine", engine.uri().toString())
          : elsewhere(
              Map.of(
                  "SLUICE_KAFKA", kafka,
                  "SLUICE_REDIS", redis,
                  "SLUICE_ENGINE_URL", engine.uri().toString()));
    } finally {
      started.close();
    }
  }

  private static int here(String... arguments) {
    return new Commands(ServiceCommands.all()).commandLine(false).execute(arguments);
  }

  private int elsewhere(Map<String, String> addresses) throws IOException, InterruptedException {
    var builder = new ProcessBuilder(command).inheritIO();
    builder.environment().putAll(addresses);
    Process process = builder.start();
    try {
      if (!process.waitFor(OTHER_WITHIN.toSeconds(), TimeUnit.SECONDS)) {
        throw new IllegalStateException(
            "%s did not end within %d min".formatted(command, OTHER_WITHIN.toMinutes()));
      }
      return process.exitValue();
    } finally {
      process.destroyForcibly();
    }
  }
}
