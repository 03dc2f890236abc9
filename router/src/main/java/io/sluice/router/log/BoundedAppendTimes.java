package io.sluice.router.log;

import io.sluice.router.clock.AppendTimes;
import io.sluice.router.clock.PoolTime;
import io.sluice.router.log.EndOffsets.End;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.apache.kafka.common.TopicPartition;

/**
 * Append times by the broker's clock, bounded by what is possible: a record behind an end offset
 * that this process has asked for was appended after it asked. So a broker's clock that is changed,
 * or a new leader with another clock, has no effect on records that were appended while this
 * process watched. Thread-safe.
 */
public final class BoundedAppendTimes implements AppendTimes {
  /** Two minutes of end offsets at four per second. */
  private static final int KEPT_ENDS = 512;

  private final PoolTime time;
  private final EndOffsets ends;
  private final LongSupplier nanoClock;

  /** By offset: the latest time at which the log was known to end there. */
  private final ConcurrentMap<TopicPartition, ConcurrentSkipListMap<Long, Long>> seen =
      new ConcurrentHashMap<>();

  /**
   * Creates an instance that reads no partition.
   *
   * @param nanoClock monotonic nanoseconds
   */
  public BoundedAppendTimes(PoolTime time, EndOffsets ends, LongSupplier nanoClock) {
    this.time = time;
    this.ends = ends;
    this.nanoClock = nanoClock;
  }

  @Override
  public void begin(TopicPartition partition) {
    ends.watch(partition);
  }

  @Override
  public void end(TopicPartition partition) {
    ends.unwatch(partition);
    seen.remove(partition);
  }

  @Override
  public long appendedAt(TopicPartition partition, long offset, long appendTimeMillis) {
    long byClock = time.appendedAt(partition, appendTimeMillis);
    var known = seen.computeIfAbsent(partition, any -> new ConcurrentSkipListMap<>());
    ends.of(partition).ifPresent(end -> note(known, end));
    Map.Entry<Long, Long> before = known.floorEntry(offset);
    if (before == null) {
      return byClock;
    }
    long mostNanos = nanoClock.getAsLong() - before.getValue();
    return Math.max(byClock, time.millis() - TimeUnit.NANOSECONDS.toMillis(mostNanos) - 1);
  }

  private static void note(ConcurrentSkipListMap<Long, Long> known, End end) {
    known.put(end.offset(), end.askedNanos());
    while (known.size() > KEPT_ENDS) {
      known.pollFirstEntry();
    }
  }
}
