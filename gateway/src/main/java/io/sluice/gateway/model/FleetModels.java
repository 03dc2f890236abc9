package io.sluice.gateway.model;

import io.sluice.fleet.FleetReading;
import io.sluice.fleet.FleetRegistry;
import io.sluice.fleet.WorkerSnapshot;
import java.time.Clock;
import java.time.Duration;
import java.util.Collection;
import java.util.Comparator;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * The models of all workers whose engine answers. A reading of the registry is used for a second;
 * while the registry cannot be read, the last one is used at once. Thread-safe; methods may block
 * for two seconds until there is a first reading, and hardly after that.
 */
public final class FleetModels {
  private static final Duration FRESH = Duration.ofSeconds(1);
  private static final Duration READ_TIMEOUT = Duration.ofSeconds(2);

  /** How long callers wait for the first reading, and for each later one. */
  private static final Duration FIRST_WITHIN = Duration.ofSeconds(2);

  private static final Duration NEXT_WITHIN = Duration.ofMillis(200);

  private final FleetRegistry registry;
  private final Clock clock;
  private final ReentrantLock lock = new ReentrantLock();
  private final long startSeconds;
  private volatile @Nullable FleetReading reading;
  private CompletableFuture<FleetReading> refresh = new CompletableFuture<>();
  private long readAtMillis;

  /** Whether the last reading failed or was late. */
  private volatile boolean isAway;

  public FleetModels(FleetRegistry registry, Clock clock) {
    this.registry = registry;
    this.clock = clock;
    this.startSeconds = clock.instant().getEpochSecond();
  }

  /** Returns the models by name. */
  Collection<ServedModel> all() {
    return models().values();
  }

  Optional<ServedModel> find(String id) {
    return Optional.ofNullable(models().get(id));
  }

  /** Returns when this gateway started, in epoch seconds. */
  long startSeconds() {
    return startSeconds;
  }

  /** Returns the tier of a worker; empty if it has none or is away. */
  public Optional<String> tierOf(String workerId) {
    return current().workers().stream()
        .filter(worker -> worker.id().equals(workerId))
        .findFirst()
        .flatMap(WorkerSnapshot::tier);
  }

  /** Takes the workers in the order of their ids, so that all gateways list the same. */
  private Map<String, ServedModel> models() {
    Map<String, ServedModel> found = new TreeMap<>();
    current().workers().stream()
        .filter(WorkerSnapshot::engineUp)
        .sorted(Comparator.comparing(WorkerSnapshot::id))
        .forEach(
            worker ->
                worker
                    .models()
                    .forEach(
                        name -> found.merge(name, ServedModel.of(worker, name), ServedModel::and)));
    return found;
  }

  /** Returns the last reading, after a short wait for a new one if it is old. */
  private FleetReading current() {
    CompletableFuture<FleetReading> running;
    boolean isLate;
    lock.lock();
    try {
      long now = clock.millis();
      if (now - readAtMillis > FRESH.toMillis() || now < readAtMillis) {
        readAtMillis = now;
        refresh = read();
      }
      running = refresh;
      isLate = isAway;
    } finally {
      lock.unlock();
    }
    FleetReading known = reading;
    if (running.isDone() || (isLate && known != null)) {
      return known == null ? FleetReading.EMPTY : known;
    }
    Duration wait = known == null ? FIRST_WITHIN : NEXT_WITHIN;
    try {
      running.get(wait.toMillis(), TimeUnit.MILLISECONDS);
    } catch (ExecutionException | TimeoutException e) {
      isAway = true;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    FleetReading now = reading;
    return now == null ? FleetReading.EMPTY : now;
  }

  private CompletableFuture<FleetReading> read() {
    return registry
        .readAll()
        .toCompletableFuture()
        .orTimeout(READ_TIMEOUT.toMillis(), TimeUnit.MILLISECONDS)
        .whenComplete(
            (read, failure) -> {
              isAway = failure != null;
              if (failure == null) {
                reading = read;
              }
            });
  }
}
