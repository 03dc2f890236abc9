package io.sluice.router.clock;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.stream.LongStream;

/**
 * The clock of one broker: how far it is ahead of this process's monotonic clock now, and how far
 * it was before it was set. Not thread-safe.
 */
final class BrokerClock {
  /** Older ones are forgotten. */
  private static final int KEPT_SETTINGS = 16;

  /** Smaller steps are those of a clock that is slewed. */
  private static final long SMALLEST_STEP_MILLIS = 1_000;

  /** By which a reading and the stamp of a record may differ, besides the error of the reading. */
  private static final long TOLERATED_MILLIS = 10;

  /**
   * An earlier setting of the clock. Times are by the monotonic clock.
   *
   * @param fromMillis not later than the clock was set so
   * @param untilMillis not earlier than it was set otherwise
   * @param poolAheadMillis how far the pool's time was ahead of the monotonic clock
   */
  private record Setting(
      ClockOffset offset, long fromMillis, long untilMillis, long poolAheadMillis) {

    private LongStream poolMillis(long epochMillis) {
      long shownMillis = epochMillis - offset.aheadMillis();
      long tolerated = TOLERATED_MILLIS + offset.errorMillis();
      boolean isShown =
          shownMillis >= fromMillis - tolerated && shownMillis <= untilMillis + tolerated;
      return isShown ? LongStream.of(shownMillis + poolAheadMillis) : LongStream.empty();
    }
  }

  private final Deque<Setting> earlier = new ArrayDeque<>();
  private ClockOffset offset;
  private long sinceMillis = Long.MIN_VALUE / 2;
  private long poolAheadMillis;

  BrokerClock(ClockOffset first) {
    offset = first;
  }

  /** Takes another reading of the clock. */
  void read(ClockOffset later) {
    if (!offset.isContradictedBy(later)) {
      offset = offset.and(later);
      return;
    }
    if (Math.abs(later.aheadMillis() - offset.aheadMillis()) >= SMALLEST_STEP_MILLIS) {
      long untilMillis = ClockOffset.millis(later.readNanos());
      earlier.addFirst(new Setting(offset, sinceMillis, untilMillis, poolAheadMillis));
      if (earlier.size() > KEPT_SETTINGS) {
        earlier.removeLast();
      }
      sinceMillis = ClockOffset.millis(offset.readNanos());
    }
    offset = later;
  }

  /** Takes how far the pool's time is ahead of the monotonic clock, after each reading. */
  void inPool(long aheadMillis) {
    poolAheadMillis = aheadMillis;
  }

  ClockOffset offset() {
    return offset;
  }

  /**
   * Returns when the clock showed a time, in the pool's time, and not later than now. If the clock
   * was set, or another broker wrote that time, there are several answers: the latest one counts.
   *
   * @param poolMillis now, in the pool's time
   * @param aheadMillis how far the pool's time is ahead of the monotonic clock
   */
  long shownAt(long epochMillis, long poolMillis, long aheadMillis) {
    LongStream present = LongStream.of(epochMillis - offset.aheadMillis() + aheadMillis);
    LongStream before = earlier.stream().flatMapToLong(setting -> setting.poolMillis(epochMillis));
    long tolerated = TOLERATED_MILLIS + offset.errorMillis();
    long latest =
        LongStream.concat(present, before)
            .filter(shown -> shown <= poolMillis + tolerated)
            .max()
            .orElse(poolMillis);
    return Math.min(latest, poolMillis);
  }
}
