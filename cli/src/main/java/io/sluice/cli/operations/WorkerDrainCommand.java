package io.sluice.cli.operations;

import io.sluice.cli.Counted;
import io.sluice.cli.DurationConverter;
import io.sluice.fleet.WorkerOrder;
import io.sluice.fleet.WorkerSnapshot;
import java.io.PrintWriter;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code worker drain}: drains a worker and keeps it drained until it is resumed. */
@Command(
    name = "drain",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    description = {
      "Drain a worker: it accepts nothing new, finishes requests for at most --within, and hands over"
          + " the rest, which other workers continue.",
      "Waits until no request is running on it."
    },
    footer = {
      "",
      "The worker stays drained, also after a restart, until --for has passed, or until:",
      "worker resume ID"
    })
public final class WorkerDrainCommand implements Callable<Integer> {
  private static final Duration LOOK = Duration.ofMillis(500);

  @Spec
  @SuppressWarnings("NullAway.Init") // set by picocli
  private CommandSpec spec;

  @Parameters(index = "0", paramLabel = "ID", description = "The worker's id.")
  private String worker = "";

  @Option(
      names = "--for",
      paramLabel = "DURATION",
      converter = DurationConverter.class,
      description = "How long it stays drained, such as 20m; without it, until it is resumed.")
  private Optional<Duration> lasting = Optional.empty();

  @Option(
      names = "--within",
      paramLabel = "DURATION",
      converter = DurationConverter.class,
      description =
          "How long running requests may continue, such as 90s, if the machine goes then (default:"
              + " the worker's drain-grace-millis).")
  private Optional<Duration> within = Optional.empty();

  @Option(names = "--no-wait", description = "Send the order and return.")
  private boolean isNotWaiting;

  @Option(
      names = "--timeout",
      paramLabel = "DURATION",
      defaultValue = "5m",
      converter = DurationConverter.class,
      description = "How long to wait, such as 30s or 5m (default: ${DEFAULT-VALUE}).")
  private Duration timeout = Duration.ZERO;

  @Mixin private final PoolOptions pool = new PoolOptions();

  @Override
  public Integer call() throws InterruptedException {
    try (PoolOptions.Fleet fleet = pool.open()) {
      fleet.order(worker, new WorkerOrder(true, lasting, within));
      if (isNotWaiting) {
        say("%s was ordered to drain".formatted(worker));
        return 0;
      }
      return await(fleet) ? 0 : 1;
    }
  }

  private boolean await(PoolOptions.Fleet fleet) throws InterruptedException {
    long start = System.nanoTime();
    int told = -1;
    while (true) {
      Optional<WorkerSnapshot> now = fleet.worker(worker);
      if (now.isEmpty()) {
        say("%s has left the pool".formatted(worker));
        return true;
      }
      int held = now.get().heldInAll();
      if (now.get().draining() && held == 0) {
        say("%s is drained".formatted(worker));
        return true;
      }
      if (now.get().draining() && held != told) {
        told = held;
        say("%s is draining, %d running".formatted(worker, held));
      }
      if (System.nanoTime() - start > timeout.toNanos()) {
        throw new IllegalStateException(
            "%s still runs %s after %d s; it continues to drain"
                .formatted(worker, Counted.of(held, "request"), timeout.toSeconds()));
      }
      Thread.sleep(LOOK);
    }
  }

  private void say(String line) {
    PrintWriter out = spec.commandLine().getOut();
    out.println(line);
    out.flush();
  }
}
