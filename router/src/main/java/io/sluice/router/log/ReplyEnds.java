package io.sluice.router.log;

import io.sluice.common.protocol.ReplyAddress;
import io.sluice.router.clock.PoolTime;
import io.sluice.router.request.ReplyStart;
import io.sluice.router.request.ReplyStarts;
import java.time.Duration;
import java.util.Map;
import java.util.OptionalLong;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.LongSupplier;
import org.apache.kafka.common.TopicPartition;

/**
 * Starts the replies of requests at the last known end of their partition. A partition is watched
 * from its first use until it has been unused for ten minutes. Thread-safe.
 */
public final class ReplyEnds implements ReplyStarts {
  private static final Duration KEPT = Duration.ofMinutes(10);

  /**
   * Callers choose the partitions, so their number is limited. Beyond the limit, scans start by
   * time.
   */
  private static final int MOST = 10_000;

  private final EndOffsets ends;
  private final PoolTime time;
  private final LongSupplier nanoClock;
  private final Map<TopicPartition, Long> usedNanos = new ConcurrentHashMap<>();

  /**
   * Creates an instance that watches nothing.
   *
   * @param nanoClock monotonic nanoseconds
   */
  public ReplyEnds(EndOffsets ends, PoolTime time, LongSupplier nanoClock) {
    this.ends = ends;
    this.time = time;
    this.nanoClock = nanoClock;
  }

  @Override
  public ReplyStart ofNow(ReplyAddress address, long epochMillis) {
    TopicPartition partition = partition(address);
    use(partition);
    OptionalLong end =
        ends.of(partition)
            .map(known -> OptionalLong.of(known.offset()))
            .orElse(OptionalLong.empty());
    return new ReplyStart(end, since(address, epochMillis).timeMillis());
  }

  @Override
  public ReplyStart since(ReplyAddress address, long epochMillis) {
    return ReplyStarts.byTime(time.byLeader(partition(address), epochMillis));
  }

  private void use(TopicPartition partition) {
    long now = nanoClock.getAsLong();
    boolean isKnown = usedNanos.replace(partition, now) != null;
    if (!isKnown) {
      forget(now);
      if (usedNanos.size() < MOST && usedNanos.putIfAbsent(partition, now) == null) {
        ends.watch(partition);
      }
    }
  }

  private void forget(long now) {
    usedNanos.forEach(
        (partition, used) -> {
          if (now - used > KEPT.toNanos() && usedNanos.remove(partition, used)) {
            ends.unwatch(partition);
          }
        });
  }

  private static TopicPartition partition(ReplyAddress address) {
    return new TopicPartition(address.topic(), address.partition());
  }
}
