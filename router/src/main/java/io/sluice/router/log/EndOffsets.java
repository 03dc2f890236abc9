package io.sluice.router.log;

import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.ListOffsetsOptions;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;
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

  /** So long a partition that is gone is not asked for. */
  private static final Duration GONE_FOR = Duration.ofSeconds(2);

  private static final Duration SAID_EVERY = Duration.ofSeconds(10);
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

  /**
   * @param goneNanos when it was asked for and there was no such partition
   */
  private record Watched(int watchers, Optional<End> end, OptionalLong goneNanos) {
    static final Watched ONCE = new Watched(1, Optional.empty(), OptionalLong.empty());

    Watched watchedBy(int many) {
      return new Watched(many, end, goneNanos);
    }

    Watched with(End answer) {
      Optional<End> latest = Optional.of(end.map(answer::latest).orElse(answer));
      return new Watched(watchers, latest, OptionalLong.empty());
    }

    Watched gone(long askedNanos) {
      return new Watched(watchers, Optional.empty(), OptionalLong.of(askedNanos));
    }

    boolean isAsked(long nanos) {
      return goneNanos.isEmpty() || nanos - goneNanos.getAsLong() >= GONE_FOR.toNanos();
    }
  }

  private final Logs logs;
  private final LongSupplier nanoClock;
  private final ConcurrentMap<TopicPartition, Watched> watched = new ConcurrentHashMap<>();
  private final AtomicLong saidNanos;
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
    this.saidNanos = new AtomicLong(nanoClock.getAsLong() - SAID_EVERY.toNanos());
  }

  /** Begins to ask, four times a second; to be called once. */
  public void start() {
    var _ = asker.scheduleWithFixedDelay(this::ask, 0, AGAIN.toMillis(), TimeUnit.MILLISECONDS);
  }

  /** Watches a partition until {@link #unwatch} was called as often as this. */
  public void watch(TopicPartition partition) {
    watched.merge(partition, Watched.ONCE, (known, once) -> known.watchedBy(known.watchers() + 1));
  }

  /** One watcher less; without any, what was learnt of the partition is forgotten. */
  public void unwatch(TopicPartition partition) {
    watched.computeIfPresent(
        partition,
        (same, known) -> known.watchers() > 1 ? known.watchedBy(known.watchers() - 1) : null);
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
  public void ask() {
    long askedNanos = nanoClock.getAsLong();
    Set<TopicPartition> partitions = new HashSet<>();
    watched.forEach(
        (partition, known) -> {
          if (known.isAsked(askedNanos)) {
            partitions.add(partition);
          }
        });
    if (partitions.isEmpty()) {
      return;
    }
    try {
      logs.ends(partitions)
          .forEach(
              (partition, answer) -> {
                var _ =
                    answer.whenComplete(
                        (offset, failure) -> {
                          if (failure == null) {
                            learn(partition, new End(offset, askedNanos));
                          } else if (isGone(failure)) {
                            forget(partition, askedNanos);
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
    watched.computeIfPresent(partition, (same, known) -> known.with(end));
  }

  /** A topic of that name that is made later begins anew. */
  private void forget(TopicPartition partition, long askedNanos) {
    watched.computeIfPresent(partition, (same, known) -> known.gone(askedNanos));
  }

  private static boolean isGone(Throwable failure) {
    return failure instanceof UnknownTopicOrPartitionException
        || failure.getCause() instanceof UnknownTopicOrPartitionException;
  }

  /** Some brokers may answer while another does not, so it is said now and then. */
  private void lost(Throwable failure) {
    long now = nanoClock.getAsLong();
    long last = saidNanos.get();
    if (now - last >= SAID_EVERY.toNanos() && saidNanos.compareAndSet(last, now)) {
      log.warn(
          "event=end_offsets_not_read effect=\"nobody's silence counts meanwhile\" reason=\"{}\"",
          failure.getMessage());
    }
  }
}
