package io.sluice.standalone.pool;

import io.sluice.services.Commands;
import io.sluice.services.ServiceCommands;
import io.sluice.simulator.SimulatedEngine;
import io.sluice.simulator.SimulatorConfig;
import io.sluice.simulator.engine.timing.GpuProfile;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/**
 * Runs {@code warm-up} over a Kafka, a Redis and an engine of this process: in this process or,
 * given a command, in another one, which gets their addresses as arguments. With {@code --clients}
 * the other process gets those of a whole pool of this process.
 */
@Command(
    name = "warm-up-pool",
    hidden = true,
    description = "Use what a pool needs, so that the JVM can record its start-up cache.")
public final class WarmUpPoolCommand implements Callable<Integer> {
  private static final Duration OTHER_WITHIN = Duration.ofMinutes(15);

  @Option(names = "--clients", description = "Run the services here too.")
  private boolean clients;

  @Parameters(arity = "0..*", paramLabel = "COMMAND", description = "The other process.")
  private List<String> command = List.of();

  @Override
  public Integer call() throws IOException, InterruptedException {
    return clients ? overPool() : overBackends();
  }

  private int overPool() throws IOException, InterruptedException {
    try (LocalPool pool = LocalPool.start(PoolPlan.simulated(Ports.free(), 1, Optional.empty()))) {
      return elsewhere(List.of("--kafka", pool.kafka(), "--redis", pool.redis()));
    }
  }

  private int overBackends() throws IOException, InterruptedException {
    Started started = new Started();
    try {
      var backends =
          new LocalBackends(PoolPlan.over(Ports.free(), List.of(), Optional.empty()), started);
      String kafka = backends.startKafka();
      String redis = backends.startRedis();
      SimulatedEngine engine = started.start(WarmUpPoolCommand::engine);
      List<String> addresses =
          List.of("--kafka", kafka, "--redis", redis, "--engine", engine.uri().toString());
      return command.isEmpty() ? here(addresses) : elsewhere(addresses);
    } finally {
      started.close();
    }
  }

  private static SimulatedEngine engine() {
    try {
      return SimulatedEngine.start(
          SimulatorConfig.of(GpuProfile.H100_FP8).withModels(List.of(PoolPlan.MODEL)));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static int here(List<String> addresses) {
    return new Commands(ServiceCommands.all())
        .commandLine(false)
        .execute(and(List.of("warm-up"), addresses).toArray(String[]::new));
  }

  private int elsewhere(List<String> addresses) throws IOException, InterruptedException {
    Process process = new ProcessBuilder(and(command, addresses)).inheritIO().start();
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

  private static List<String> and(List<String> command, List<String> addresses) {
    return Stream.concat(command.stream(), addresses.stream()).toList();
  }
}
