package io.sluice.worker.reply;

import io.sluice.worker.clock.Ticker;
import java.time.Duration;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import org.apache.kafka.common.TopicPartition;

/**
 * What was given to the producer and is not acknowledged, by partition. All partitions share the
 * producer's buffer, and whoever finds it full waits: so one that takes nothing, such as of a topic
 * that was deleted or has too few replicas, gets a share of it only. Thread-safe.
 */
final class InFlightRecords {
  /** An eighth of Kafka's default buffer. */
  static final long SHARE_BYTES = 4L * 1024 * 1024;

  /** A partition that acknowledged nothing for so long takes nothing. */
  static final Duration UNRESPONSIVE_AFTER = Duration.ofSeconds(1);

  private record Load(long bytes, long heardNanos) {}

  private final Ticker ticker;
  private final ConcurrentMap<TopicPartition, Load> loads = new ConcurrentHashMap<>();

  InFlightRecords(Ticker ticker) {
    this.ticker = ticker;
  }

  /** Counts a record, if it may be sent. */
  boolean tryAdd(TopicPartition partition, long bytes) {
    boolean[] isAdded = {true};
    loads.compute(
        partition,
        (same, load) -> {
          if (load == null) {
            return new Load(bytes, ticker.nanos());
          }
          boolean isUnresponsive =
              ticker.since(load.heardNanos()).compareTo(UNRESPONSIVE_AFTER) > 0;
          isAdded[0] = !isUnresponsive || load.bytes() + bytes <= SHARE_BYTES;
          return isAdded[0] ? new Load(load.bytes() + bytes, load.heardNanos()) : load;
        });
    return isAdded[0];
  }

  /** A record is in the log, or given up. */
  void remove(TopicPartition partition, long bytes) {
    loads.computeIfPresent(
        partition,
        (same, load) ->
            load.bytes() <= bytes ? null : new Load(load.bytes() - bytes, ticker.nanos()));
  }
}
