package io.sluice.cli.operations;

import io.sluice.fleet.FleetReading;
import io.sluice.fleet.RedisFleetRegistry;
import io.sluice.fleet.WorkerOrder;
import io.sluice.fleet.WorkerSnapshot;
import io.sluice.fleet.breaker.BreakerEvent;
import io.sluice.fleet.breaker.BreakerState;
import io.sluice.fleet.peers.RouterReport;
import io.sluice.fleet.peers.RouterReports;
import io.sluice.fleet.redis.RedisConnection;
import io.sluice.fleet.redis.RedisPassword;
import io.sluice.fleet.redis.RedisSettings;
import io.sluice.fleet.redis.TrustedCertificates;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import org.redisson.api.RedissonClient;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;
import picocli.CommandLine.Spec.Target;

/** The options with which commands connect to the fleet: {@code --redis} and {@code --pool}. */
public final class PoolOptions {
  @Spec(Target.MIXEE)
  @SuppressWarnings("NullAway.Init") // set by picocli
  private CommandSpec spec;

  @Option(
      names = "--redis",
      paramLabel = "URL",
      defaultValue = "${env:SLUICE_REDIS:-redis://127.0.0.1:16379}",
      description = "The pool's Redis (default: SLUICE_REDIS, or else redis://127.0.0.1:16379).")
  private String redis = "";

  @Option(
      names = "--redis-password-file",
      paramLabel = "FILE",
      defaultValue = "${env:SLUICE_REDIS_PASSWORD_FILE:-}",
      description = "A file that holds the password of Redis (SLUICE_REDIS_PASSWORD_FILE).")
  private String passwordFile = "";

  @Option(
      names = "--redis-ca",
      paramLabel = "FILE",
      defaultValue = "${env:SLUICE_REDIS_CA:-}",
      description =
          "The certificates in PEM by which Redis proves its identity with rediss://"
              + " (SLUICE_REDIS_CA).")
  private String certificates = "";

  @Option(
      names = "--pool",
      paramLabel = "NAME",
      defaultValue = "${env:SLUICE_POOL:-default}",
      description = "The pool's name (default: ${DEFAULT-VALUE}; also SLUICE_POOL).")
  private String pool = "";

  /** Opens the connection; nothing is sent to Redis yet. */
  public Fleet open() {
    try {
      RedisSettings settings = settings();
      RedissonClient client = RedisConnection.open(settings);
      return new Fleet(
          client, new RedisFleetRegistry(client, pool), new RouterReports(client, pool), settings);
    } catch (IllegalArgumentException e) {
      throw new ParameterException(spec.commandLine(), String.valueOf(e.getMessage()), e);
    }
  }

  /** Returns the address, without a password. */
  public String address() {
    return RedisConnection.shown(redis);
  }

  private RedisSettings settings() {
    return new RedisSettings(
        redis,
        named("--redis-password-file", passwordFile, RedisPassword::parse),
        named("--redis-ca", certificates, TrustedCertificates::parse));
  }

  private static <T> T named(String option, String file, Function<String, T> parser) {
    try {
      return parser.apply(file);
    } catch (IllegalArgumentException e) {
      throw new IllegalArgumentException(
          "%s is '%s', but %s".formatted(option, file, e.getMessage()), e);
    }
  }

  /** The pool's part of Redis, for the duration of a command. */
  public record Fleet(
      RedissonClient client,
      RedisFleetRegistry registry,
      RouterReports reports,
      RedisSettings address)
      implements AutoCloseable {

    /**
     * Reads the current state.
     *
     * @throws FleetUnreachableException if Redis does not respond; the other methods throw it too
     */
    FleetStatus read() {
      return FleetStatus.of(workers(), routers());
    }

    /** Returns the last reports of the routers. */
    public List<RouterReport> routers() {
      return answer(reports.readAll());
    }

    /** Returns the last snapshots and breakers of the workers. */
    public FleetReading workers() {
      return answer(registry.readAll());
    }

    /** Returns a worker's last snapshot; empty if the worker is not in the pool. */
    Optional<WorkerSnapshot> worker(String id) {
      return workers().workers().stream().filter(worker -> worker.id().equals(id)).findFirst();
    }

    /**
     * Stores an order for a worker.
     *
     * @throws IllegalStateException if there is no such worker
     */
    void order(String worker, WorkerOrder order) {
      requireKnown(worker, workers());
      answer(registry.order(worker, order));
    }

    /**
     * Checks that a worker exists.
     *
     * @throws IllegalStateException if it does not; the message lists the existing workers
     */
    static void requireKnown(String worker, FleetReading reading) {
      List<String> known = reading.workers().stream().map(WorkerSnapshot::id).sorted().toList();
      if (!known.contains(worker)) {
        throw new IllegalStateException(
            "no worker '%s' in this pool; known workers: %s"
                .formatted(worker, known.isEmpty() ? "none" : String.join(", ", known)));
      }
    }

    /** Sends an event to a worker's breaker; returns the resulting state. */
    BreakerState apply(String worker, BreakerEvent.Timed event) {
      return answer(registry.applyToBreaker(worker, List.of(event)));
    }

    private <T> T answer(CompletionStage<T> stage) {
      try {
        return stage.toCompletableFuture().join();
      } catch (CompletionException e) {
        throw new FleetUnreachableException(address, e);
      }
    }

    @Override
    public void close() {
      client.shutdown();
    }
  }
}
