package io.sluice.gateway.batch.run;

import io.sluice.common.dependency.Reasons;
import io.sluice.gateway.batch.record.Batch;
import io.sluice.gateway.batch.record.BatchLog;
import io.sluice.gateway.batch.record.BatchLogException;
import io.sluice.gateway.config.BatchSettings;
import io.sluice.gateway.files.FileStore;
import io.sluice.gateway.http.JsonMemory;
import io.sluice.producer.ClientConfig;
import java.io.IOException;
import java.time.Clock;
import java.time.Duration;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Runs the batches of the partitions that this gateway owns, some at once; tenants take turns. A
 * batch that is cancelled or has expired waits for none of the others. A run that fails is
 * repeated. Thread-safe.
 */
public final class BatchRuns implements AutoCloseable {
  /** How many batches that only have to end run in addition to the others. */
  static final int MAX_ENDING = 4;

  private static final Duration LOOK_AGAIN = Duration.ofSeconds(1);
  private static final Duration AGAIN_AFTER = Duration.ofSeconds(5);

  /** A run that has not ended by itself within this time waits for Kafka or for the storage. */
  private static final Duration ENDS_WITHIN = Duration.ofSeconds(2);

  private static final Duration CLOSE_LIMIT = Duration.ofSeconds(5);
  private static final Logger log = LoggerFactory.getLogger(BatchRuns.class);

  /**
   * A run.
   *
   * @param isEnding whether the batch only had to end when the run began
   */
  private record Running(Batch batch, boolean isEnding, BatchRun run, Thread thread) {
    String tenant() {
      return batch.created().tenant();
    }
  }

  private final BatchLog batches;
  private final BatchPartitions partitions;
  private final Function<Batch, BatchRun> runs;
  private final int maxRunning;
  private final Map<String, Running> running = new ConcurrentHashMap<>();
  private final Map<String, Long> failedNanos = new ConcurrentHashMap<>();
  private final BatchClient client;
  private final Clock clock;
  private final Semaphore changes = new Semaphore(0);
  private final Thread thread;
  private volatile boolean isClosed;

  private BatchRuns(
      BatchLog batches,
      BatchPartitions partitions,
      Function<Batch, BatchRun> runs,
      int maxRunning,
      BatchClient client,
      Clock clock) {
    this.client = client;
    this.clock = clock;
    this.batches = batches;
    this.partitions = partitions;
    this.runs = runs;
    this.maxRunning = maxRunning;
    this.thread = Thread.ofVirtual().name("sluice-batch-runs").unstarted(this::schedule);
  }

  /** Begins to run batches. The pool's client is opened for the first one. */
  public static BatchRuns start(
      BatchLog batches,
      BatchPartitions partitions,
      FileStore files,
      LineFormat format,
      JsonMemory memory,
      ClientConfig config,
      BatchSettings limits,
      Clock clock) {
    BatchClient client = new BatchClient(config, limits);
    BatchMemory shared = BatchMemory.with(memory);
    return start(
        batches,
        partitions,
        batch ->
            new BatchRun(
                batch, batches, files, format, client, shared, limits, Pace.STANDARD, clock),
        limits.maxRunning(),
        client,
        clock);
  }

  /**
   * Begins to run batches.
   *
   * @param runs makes the run of a batch
   * @param maxRunning how many run at once, in addition to those that only have to end
   * @param client is closed at the end
   */
  static BatchRuns start(
      BatchLog batches,
      BatchPartitions partitions,
      Function<Batch, BatchRun> runs,
      int maxRunning,
      BatchClient client,
      Clock clock) {
    BatchRuns started = new BatchRuns(batches, partitions, runs, maxRunning, client, clock);
    batches.onChange(started.changes::release);
    partitions.onChange(started.changes::release);
    started.thread.start();
    return started;
  }

  private void schedule() {
    Set<Integer> known = Set.of();
    while (!isClosed) {
      try {
        known = schedule(known);
        if (changes.tryAcquire(LOOK_AGAIN.toMillis(), TimeUnit.MILLISECONDS)) {
          var _ = changes.drainPermits();
        }
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        return;
      }
    }
  }

  /**
   * Starts and stops runs.
   *
   * @param known the partitions whose former owners' records were read
   * @return the same for the next time
   */
  private Set<Integer> schedule(Set<Integer> known) {
    Set<Integer> owned = new HashSet<>(partitions.owned());
    if (!known.containsAll(owned)) {
      try {
        batches.awaitCurrent();
      } catch (BatchLogException e) {
        log.warn("event=batches_not_current reason=\"{}\"", e.getMessage());
        owned.retainAll(known);
      }
    }
    List<Batch> unfinished = batches.unfinished(owned);
    stopOthers(unfinished);
    Map<Boolean, List<Batch>> byEnding =
        unfinished.stream().collect(Collectors.partitioningBy(this::isEnding));
    start(byEnding.getOrDefault(true, List.of()), true, MAX_ENDING);
    start(byEnding.getOrDefault(false, List.of()), false, maxRunning);
    return owned;
  }

  /** Returns whether nothing of a batch is sent any more: its lines only have to get results. */
  private boolean isEnding(Batch batch) {
    return batch.cancellingAt().isPresent() || clock.millis() >= batch.created().expiresAt();
  }

  /** Starts runs of one kind while there is a place for them. */
  private void start(List<Batch> waiting, boolean isEnding, int places) {
    while (!isClosed && running(isEnding).count() < places) {
      Optional<Batch> next = next(waiting, isEnding);
      if (next.isEmpty()) {
        return;
      }
      start(next.get(), isEnding);
    }
  }

  private Stream<Running> running(boolean isEnding) {
    return running.values().stream().filter(run -> run.isEnding() == isEnding);
  }

  private void stopOthers(List<Batch> unfinished) {
    Set<String> ids = new HashSet<>();
    unfinished.forEach(batch -> ids.add(batch.created().id()));
    running.forEach(
        (id, run) -> {
          if (!ids.contains(id)) {
            run.run().stop();
          }
        });
  }

  /** Returns the oldest batch of a tenant with the fewest running ones of the same kind. */
  private Optional<Batch> next(List<Batch> waiting, boolean isEnding) {
    Map<String, Integer> ofTenant = new HashMap<>();
    running(isEnding).forEach(run -> ofTenant.merge(run.tenant(), 1, Integer::sum));
    return waiting.stream()
        .filter(batch -> !running.containsKey(batch.created().id()) && isDue(batch))
        .min(Comparator.comparing(batch -> ofTenant.getOrDefault(batch.created().tenant(), 0)));
  }

  private boolean isDue(Batch batch) {
    Long failed = failedNanos.get(batch.created().id());
    return failed == null || System.nanoTime() - failed >= AGAIN_AFTER.toNanos();
  }

  private void start(Batch batch, boolean isEnding) {
    String id = batch.created().id();
    BatchRun run = runs.apply(batch);
    Thread runner = Thread.ofVirtual().name("sluice-" + id).unstarted(() -> run(id, run));
    running.put(id, new Running(batch, isEnding, run, runner));
    log.info("event=batch_run_started batch={} phase={}", id, batch.status());
    runner.start();
  }

  private void run(String id, BatchRun run) {
    try {
      run.run();
      failedNanos.remove(id);
      log.info("event=batch_run_ended batch={}", id);
      awaitEnd();
    } catch (IOException | RuntimeException e) {
      failedNanos.put(id, System.nanoTime());
      log.warn("event=batch_run_failed batch={} reason=\"{}\"", id, Reasons.of(e));
      run.failed(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } finally {
      running.remove(id);
      changes.release();
    }
  }

  /** Otherwise the table may show a batch as unfinished a moment longer, and it is run again. */
  private void awaitEnd() {
    try {
      batches.awaitCurrent();
    } catch (BatchLogException e) {
      log.warn("event=batches_not_current reason=\"{}\"", e.getMessage());
    }
  }

  /**
   * Stops all runs; other gateways continue with their batches. What still waits for Kafka or for
   * the storage after a moment is interrupted.
   */
  @Override
  public void close() {
    isClosed = true;
    changes.release();
    long beganNanos = System.nanoTime();
    try {
      if (!hasEndedBy(beganNanos + ENDS_WITHIN.toNanos())) {
        thread.interrupt();
        running.values().forEach(run -> run.thread().interrupt());
        var _ = hasEndedBy(beganNanos + CLOSE_LIMIT.toNanos());
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    client.close();
  }

  /** Stops all runs, and waits for their end. */
  private boolean hasEndedBy(long endNanos) throws InterruptedException {
    running.values().forEach(run -> run.run().stop());
    boolean hasEnded = join(thread, endNanos);
    // The last moment before may have started one more.
    running.values().forEach(run -> run.run().stop());
    for (Running run : running.values()) {
      hasEnded &= join(run.thread(), endNanos);
    }
    return hasEnded;
  }

  private static boolean join(Thread thread, long endNanos) throws InterruptedException {
    // One that is about to start finds that its run was stopped.
    return thread.getState() != Thread.State.NEW
        && thread.join(Duration.ofNanos(Math.max(0, endNanos - System.nanoTime())));
  }
}
