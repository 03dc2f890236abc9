package io.sluice.router.stream;

import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.LongSupplier;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.ListOffsetsOptions;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.common.TopicPartition;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Where the partitions that somebody watches end, asked for again and again. An {@link End} says:
 * all that was acknowledged to whoever wrote it before {@link End#askedNanos} stands below {@link
 * End#offset}. While the brokers do not answer, the last ends stay, with their times; how old one
 * may be is for its reader to say.
 *
 * <p>Thread-safe; no method but {@link #close} waits for anything, so that stream threads may call
 * them.
 */
public final class EndOffsets implements AutoCloseable {
  private static final Duration AGAIN = Duration.ofMillis(250);
  private static final Duration ANSWER_WITHIN = Duration.ofSeconds(2);
  private static final Logger log = LoggerFactory.getLogger(EndOffsets.class);

  /** Who knows where partitions end. Thread-safe. */
  @FunctionalInterface
  public interface Logs {
    /**
     * Asks where partitions end now; returns at once.
     *
     * @return one answer for each, which comes within some seconds or fails
     */
    Map<TopicPartition, CompletionStage<Long>> ends(Set<TopicPartition> partitions);

    /** The brokers' logs, through an admin client that it does not own. */
    static Logs of(Admin admin) {
      var options = new ListOffsetsOptions().timeoutMs((int) ANSWER_WITHIN.toMillis());
      return partitions -> {
        Map<TopicPartition, OffsetSpec> wanted = new HashMap<>();
        partitions.forEach(partition -> wanted.put(partition, OffsetSpec.latest()));
        var found = admin.listOffsets(wanted, options);
        Map<TopicPartition, CompletionStage<Long>> ends = new HashMap<>();
        partitions.forEach(
            partition ->
                ends.put(
                    partition,
                    found
                        .partitionResult(partition)
                        .toCompletionStage()
                        .thenApply(end -> end.offset())));
        return ends;
      };
    }
  }

  /**
   * Where a partition ended at a moment.
   *
   * @param offset of the next record
   * @param askedNanos when it was asked for, by this process's monotonic clock
   */
  public record End(long offset, long askedNanos) {
    private End latest(End other) {
      return other.askedNanos() - askedNanos > 0 ? other : this;
    }
  }

  private record Watched(int watchers, Optional<End> end) {
    Watched with(End answer) {
      return new Watched(watchers, Optional.of(end.map(answer::latest).orElse(answer)));
    }
  }

  private final Logs logs;
  private final LongSupplier nanoClock;
  private final ConcurrentMap<TopicPartition, Watched> watched = new ConcurrentHashMap<>();
  private final AtomicBoolean isAway = new AtomicBoolean();
  private final ScheduledExecutorService asker =
      Executors.newSingleThreadScheduledExecutor(
          Thread.ofPlatform().daemon().name("end-offsets").factory());

  /**
   * Watches nothing yet, and asks for nothing before {@link #start}.
   *
   * @param nanoClock monotonic nanoseconds
   */
  public EndOffsets(Logs logs, LongSupplier nanoClock) {
    this.logs = logs;
    this.nanoClock = nanoClock;
  }

  /** Begins to ask, four times a second; to be called once. */
  public void start() {
    var _ = asker.scheduleWithFixedDelay(this::ask, 0, AGAIN.toMillis(), TimeUnit.MILLISECONDS);
  }

  /** Watches a partition until {@link #unwatch} was called as often as this. */
  public void watch(TopicPartition partition) {
    watched.merge(
        partition,
        new Watched(1, Optional.empty()),
        (known, one) -> new Watched(known.watchers() + 1, known.end()));
  }

  /** One watcher less; without any, what was learnt of the partition is forgotten. */
  public void unwatch(TopicPartition partition) {
    watched.computeIfPresent(
        partition,
        (same, known) ->
            known.watchers() > 1 ? new Watched(known.watchers() - 1, known.end()) : null);
  }

  /** Where a partition ended last; empty if it is not watched, or nobody has answered yet. */
  public Optional<End> of(TopicPartition partition) {
    Watched known = watched.get(partition);
    return known == null ? Optional.empty() : known.end();
  }

  @Override
  public void close() {
    asker.shutdownNow();
  }

  /** Asks once, for all that are watched; the answers are taken as they come. */
  void ask() {
    Set<TopicPartition> partitions = Set.copyOf(watched.keySet());
    if (partitions.isEmpty()) {
      return;
    }
    long askedNanos = nanoClock.getAsLong();
    try {
      logs.ends(partitions)
          .forEach(
              (partition, answer) -> {
                var _ =
                    answer.whenComplete(
                        (offset, failure) -> {
                          if (failure == null) {
                            learn(partition, new End(offset, askedNanos));
                          } else {
                            lost(failure);
                          }
                        });
              });
    } catch (RuntimeException e) {
      // An exception that left this method would end the asking for good.
      lost(e);
    }
  }

  private void learn(TopicPartition partition, End end) {
    isAway.set(false);
    watched.computeIfPresent(partition, (same, known) -> known.with(end));
  }

  private void lost(Throwable failure) {
    if (!isAway.getAndSet(true)) {
      log.warn(
          "event=end_offsets_not_read effect=\"nobody's silence counts meanwhile\" reason=\"{}\"",
          failure.getMessage());
    }
  }
}
