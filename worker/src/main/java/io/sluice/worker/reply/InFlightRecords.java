package io.sluice.worker.reply;

import io.sluice.worker.clock.Ticker;
import java.time.Duration;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import org.apache.kafka.common.TopicPartition;

/**
 * The size of the records in flight (sent and not acknowledged) per partition. All partitions share
 * the producer's buffer, and a full buffer blocks every writer. So an unresponsive partition, such
 * as one of a deleted topic or with too few replicas, gets only a share of the buffer. Thread-safe.
 */
final class InFlightRecords {
  /** An eighth of Kafka's default buffer. */
  static final long SHARE_BYTES = 4L * 1024 * 1024;

  /** A partition that has acknowledged nothing for this long is unresponsive. */
  static final Duration UNRESPONSIVE_AFTER = Duration.ofSeconds(1);

  private record Load(long bytes, long heardNanos) {}

  private final Ticker ticker;
  private final ConcurrentMap<TopicPartition, Load> loads = new ConcurrentHashMap<>();

  InFlightRecords(Ticker ticker) {
    this.ticker = ticker;
  }

  /** Counts a record; returns false if it must not be sent. */
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

  /** A record was acknowledged, or has failed. */
  void remove(TopicPartition partition, long bytes) {
    loads.computeIfPresent(
        partition,
        (same, load) ->
            load.bytes() <= bytes ? null : new Load(load.bytes() - bytes, ticker.nanos()));
  }
}
