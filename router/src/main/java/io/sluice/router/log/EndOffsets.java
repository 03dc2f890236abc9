package io.sluice.router.log;

import io.sluice.common.kafka.UnknownTopic;
import io.sluice.common.time.LogInterval;
import io.sluice.common.time.RepeatingThread;
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
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.ListOffsetsOptions;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.common.TopicPartition;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Polls the end offsets of the watched partitions. An {@link End} means: everything that was
 * acknowledged to a writer before {@link End#askedNanos} is below {@link End#offset}. While the
 * brokers do not answer, the last ends stay, with their times, and the reader decides how old an
 * end may be.
 *
 * <p>Thread-safe. No method except {@link #close} waits, so stream threads may call them.
 */
public final class EndOffsets implements AutoCloseable {
  private static final Duration AGAIN = Duration.ofMillis(250);

  /** While nothing is under way, no request waits for silence to be proved. */
  private static final Duration IDLE_AGAIN = Duration.ofSeconds(1);

  private static final Duration ANSWER_WITHIN = Duration.ofSeconds(2);

  /** How long a partition that is gone is not polled. */
  private static final Duration GONE_FOR = Duration.ofSeconds(2);

  private static final Duration LOSS_LOG_INTERVAL = Duration.ofSeconds(10);
  private static final Logger log = LoggerFactory.getLogger(EndOffsets.class);

  /** A source of end offsets. Thread-safe. */
  @FunctionalInterface
  public interface Logs {
    /**
     * Requests the current ends of partitions, and returns at once.
     *
     * @return one answer for each partition, which completes or fails within some seconds
     */
    Map<TopicPartition, CompletionStage<Long>> ends(Set<TopicPartition> partitions);

    /** Returns the brokers, through an admin client that is owned by the caller. */
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
   * The end of a partition at a moment.
   *
   * @param offset the offset of the next record
   * @param askedNanos when it was requested, by this process's monotonic clock
   */
  public record End(long offset, long askedNanos) {
    private End latest(End other) {
      return other.askedNanos() - askedNanos > 0 ? other : this;
    }
  }

  /**
   * @param goneNanos when it was requested and the partition did not exist
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
  private final LogInterval lossLog;
  private final RepeatingThread asker = new RepeatingThread("end-offsets");
  private volatile long lastAskedNanos;

  /**
   * Creates an instance that watches nothing and polls nothing before {@link #start}.
   *
   * @param nanoClock monotonic nanoseconds
   */
  public EndOffsets(Logs logs, LongSupplier nanoClock) {
    this.logs = logs;
    this.nanoClock = nanoClock;
    this.lossLog = new LogInterval(LOSS_LOG_INTERVAL, nanoClock);
  }

  /**
   * Starts to poll: four times a second, but once a second while nothing is under way and all ends
   * are known. Call this once.
   *
   * @param isIdle whether nothing is under way
   */
  public void start(BooleanSupplier isIdle) {
    var _ = asker.repeat(Duration.ZERO, AGAIN, () -> askIfDue(isIdle.getAsBoolean()));
  }

  /** Time has passed. Called four times a second. */
  void askIfDue(boolean isIdle) {
    boolean isRecent = nanoClock.getAsLong() - lastAskedNanos < IDLE_AGAIN.toNanos();
    if (!isIdle || !isRecent || isAnyUnknown()) {
      ask();
    }
  }

  private boolean isAnyUnknown() {
    return watched.values().stream().anyMatch(known -> known.end().isEmpty());
  }

  /** Watches a partition until {@link #unwatch} was called equally often. */
  public void watch(TopicPartition partition) {
    watched.merge(partition, Watched.ONCE, (known, once) -> known.watchedBy(known.watchers() + 1));
  }

  /** Removes one watcher. Without any watcher, what is known about the partition is forgotten. */
  public void unwatch(TopicPartition partition) {
    watched.computeIfPresent(
        partition,
        (same, known) -> known.watchers() > 1 ? known.watchedBy(known.watchers() - 1) : null);
  }

  /**
   * Returns the last known end of a partition; empty if it is not watched, or if no answer has come
   * yet.
   */
  public Optional<End> of(TopicPartition partition) {
    Watched known = watched.get(partition);
    return known == null ? Optional.empty() : known.end();
  }

  @Override
  public void close() {
    asker.close();
  }

  /** Requests the ends of all watched partitions once. The answers are handled as they arrive. */
  public void ask() {
    long askedNanos = nanoClock.getAsLong();
    lastAskedNanos = askedNanos;
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
    logs.ends(partitions)
        .forEach(
            (partition, answer) -> {
              var _ =
                  answer.whenComplete(
                      (offset, failure) -> {
                        if (failure == null) {
                          learn(partition, new End(offset, askedNanos));
                        } else if (UnknownTopic.isCauseOf(failure)) {
                          forget(partition, askedNanos);
                        } else {
                          lost(failure);
                        }
                      });
            });
  }

  private void learn(TopicPartition partition, End end) {
    watched.computeIfPresent(partition, (same, known) -> known.with(end));
  }

  /** A topic that is created later under the same name starts afresh. */
  private void forget(TopicPartition partition, long askedNanos) {
    watched.computeIfPresent(partition, (same, known) -> known.gone(askedNanos));
  }

  /** Some brokers may answer while another does not, so the warning is limited in rate. */
  private void lost(Throwable failure) {
    if (lossLog.isDue()) {
      log.warn(
          "event=end_offsets_not_read effect=\"no lease ends for silence until they are read\" reason=\"{}\"",
          failure.getMessage());
    }
  }
}
