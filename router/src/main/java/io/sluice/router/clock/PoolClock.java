package io.sluice.router.clock;

import java.time.Clock;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.LongSupplier;
import org.apache.kafka.common.TopicPartition;

/**
 * The time of a pool, by vote: the median of the brokers' clocks, as they are learnt from records
 * that this process has written. The time as it was, which runs on by the monotonic clock, has a
 * vote as well, and where that makes an even number this machine's wall clock too. So one clock
 * that is off, or is set, be it a broker's or this machine's, moves nothing; only what most of them
 * say does. Before any broker is known it is this machine's wall clock.
 *
 * <p>INVARIANT: what is learnt of a clock is only its distance to the monotonic one. Thread-safe.
 */
public final class PoolClock implements PoolTime {
  /** Clocks that are so near to the one that won the vote agree with it. */
  private static final long AGREE_MILLIS = 1_000;

  private final LongSupplier nanoClock;
  private final Clock wallClock;
  private final Map<Integer, ClockOffset> brokers = new HashMap<>();
  private Map<TopicPartition, Integer> leaders = Map.of();

  /** How far the pool's time is ahead of the monotonic clock. */
  private long aheadMillis;

  /**
   * A clock that knows of no broker yet.
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
    Integer leader = leaders.get(partition);
    ClockOffset reading = leader == null ? null : brokers.get(leader);
    long now = monotonicMillis();
    if (reading == null && brokers.isEmpty()) {
      return now + aheadMillis;
    }
    long leaderAhead = reading == null ? aheadMillis : reading.aheadMillis();
    long ageMillis = Math.max(0, now + leaderAhead - appendTimeMillis);
    return now + aheadMillis - ageMillis;
  }

  @Override
  public synchronized long byLeader(TopicPartition partition, long epochMillis) {
    Integer leader = leaders.get(partition);
    ClockOffset reading = leader == null ? null : brokers.get(leader);
    return reading == null ? epochMillis : epochMillis - aheadMillis + reading.aheadMillis();
  }

  /** Who leads which partition now. */
  public synchronized void lead(Map<TopicPartition, Integer> leadersNow) {
    leaders = Map.copyOf(leadersNow);
  }

  /**
   * A broker has appended a record of this process.
   *
   * @param appendTimeMillis by its clock
   * @param sentNanos when it was not sent yet, by the monotonic clock
   * @param ackedNanos when it was acknowledged
   */
  public synchronized void appended(
      int broker, long appendTimeMillis, long sentNanos, long ackedNanos) {
    boolean isNew = !brokers.containsKey(broker);
    brokers.merge(broker, ClockOffset.of(appendTimeMillis, sentNanos, ackedNanos), ClockOffset::or);
    vote(isNew);
  }

  /** How many brokers' clocks are known. */
  public synchronized int known() {
    return brokers.size();
  }

  /** Who knew fewer brokers has no vote among more of them. */
  private void vote(boolean isNew) {
    List<Long> votes = new ArrayList<>();
    brokers.values().forEach(reading -> votes.add(reading.aheadMillis()));
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
            .map(ClockOffset::aheadMillis)
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
