package io.sluice.router.clock;

import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.LongSupplier;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;

/**
 * The time of a pool, by vote: the median of the brokers' clocks, as learned from records that this
 * process has written. The previous pool time, continued by the monotonic clock, has a vote too. If
 * that makes the number even, this machine's wall clock also has one. So a single clock that is
 * wrong or is changed, at a broker or here, has no effect; only a majority has. Before any broker
 * is known, the time is this machine's wall clock.
 *
 * <p>INVARIANT: what is stored of a clock is only its offset to the monotonic clock. Thread-safe.
 */
public final class PoolClock implements PoolTime {
  /** Clocks within this distance of the winner agree with it. */
  private static final long AGREE_MILLIS = 1_000;

  private final LongSupplier nanoClock;
  private final Clock wallClock;
  private final Map<Integer, BrokerClock> brokers = new HashMap<>();
  private Map<TopicPartition, Integer> leaders = Map.of();

  /** How far the pool's time is ahead of the monotonic clock. */
  private long aheadMillis;

  /**
   * Creates a clock that knows no broker yet.
   *
   * @param nanoClock monotonic nanoseconds
   */
  public PoolClock(LongSupplier nanoClock, Clock wallClock) {
    this.nanoClock = nanoClock;
    this.wallClock = wallClock;
    this.aheadMillis = wallAheadMillis();
  }

  @Override
  public synchronized long millis() {
    return monotonicMillis() + aheadMillis;
  }

  @Override
  public synchronized long appendedAt(TopicPartition partition, long appendTimeMillis) {
    BrokerClock leader = leaderOf(partition);
    long now = monotonicMillis() + aheadMillis;
    if (leader == null) {
      return brokers.isEmpty() ? now : Math.min(now, appendTimeMillis);
    }
    return leader.shownAt(appendTimeMillis, now, aheadMillis);
  }

  @Override
  public synchronized long byLeader(TopicPartition partition, long epochMillis) {
    BrokerClock leader = leaderOf(partition);
    return leader == null ? epochMillis : epochMillis - aheadMillis + leader.offset().aheadMillis();
  }

  private @Nullable BrokerClock leaderOf(TopicPartition partition) {
    Integer leader = leaders.get(partition);
    return leader == null ? null : brokers.get(leader);
  }

  /** Sets the current leaders of the partitions. */
  public synchronized void lead(Map<TopicPartition, Integer> leadersNow) {
    leaders = Map.copyOf(leadersNow);
  }

  /**
   * A broker has appended a record of this process.
   *
   * @param appendTimeMillis by the broker's clock
   * @param sentNanos a time before it was sent, by the monotonic clock
   * @param ackedNanos when it was acknowledged
   */
  public synchronized void appended(
      int broker, long appendTimeMillis, long sentNanos, long ackedNanos) {
    ClockOffset reading = ClockOffset.of(appendTimeMillis, sentNanos, ackedNanos);
    boolean isNew = !brokers.containsKey(broker);
    BrokerClock known = brokers.computeIfAbsent(broker, any -> new BrokerClock(reading));
    known.read(reading);
    vote(isNew);
    known.inPool(aheadMillis);
  }

  /** Returns the number of brokers whose clocks are known with at most this error. */
  public synchronized int known(Duration error) {
    return (int)
        brokers.values().stream()
            .filter(broker -> broker.offset().errorMillis() <= error.toMillis())
            .count();
  }

  /** Returns whether any broker's clock is known, with whatever error. */
  public synchronized boolean isKnown() {
    return !brokers.isEmpty();
  }

  /** A pool time from fewer brokers has no vote among more of them. */
  private void vote(boolean isNew) {
    List<Long> votes = new ArrayList<>();
    brokers.values().forEach(broker -> votes.add(broker.offset().aheadMillis()));
    if (!isNew) {
      votes.add(aheadMillis);
    }
    if (votes.size() % 2 == 0) {
      votes.add(wallAheadMillis());
    }
    votes.sort(null);
    long median = votes.get(votes.size() / 2);
    aheadMillis =
        brokers.values().stream()
            .map(broker -> broker.offset().aheadMillis())
            .min((one, other) -> Long.compare(Math.abs(one - median), Math.abs(other - median)))
            .filter(nearest -> Math.abs(nearest - median) <= AGREE_MILLIS)
            .orElse(median);
  }

  private long monotonicMillis() {
    return ClockOffset.millis(nanoClock.getAsLong());
  }

  private long wallAheadMillis() {
    return wallClock.millis() - monotonicMillis();
  }
}
