package io.sluice.router.clock;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Optional;

/**
 * The clock of one broker: how far it is ahead of this process's monotonic clock now, and how far
 * it was before it was set. Not thread-safe.
 */
final class BrokerClock {
  /** Older ones are forgotten. */
  private static final int KEPT_SETTINGS = 16;

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

    private Optional<Long> poolMillis(long epochMillis) {
      long shownMillis = epochMillis - offset.aheadMillis();
      long tolerated = TOLERATED_MILLIS + offset.errorMillis();
      boolean isShown =
          shownMillis >= fromMillis - tolerated && shownMillis <= untilMillis + tolerated;
      return isShown ? Optional.of(shownMillis + poolAheadMillis) : Optional.empty();
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
    long untilMillis = ClockOffset.millis(later.readNanos());
    earlier.addFirst(new Setting(offset, sinceMillis, untilMillis, poolAheadMillis));
    if (earlier.size() > KEPT_SETTINGS) {
      earlier.removeLast();
    }
    sinceMillis = ClockOffset.millis(offset.readNanos());
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
   * Returns when the clock showed a time, in the pool's time. If the clock was set since, this is
   * by the latest setting under which it can have shown it.
   *
   * @param nowMillis by the monotonic clock
   * @param aheadMillis how far the pool's time is ahead of that
   */
  long poolMillis(long epochMillis, long nowMillis, long aheadMillis) {
    Setting present = new Setting(offset, sinceMillis, nowMillis, aheadMillis);
    return present
        .poolMillis(epochMillis)
        .or(
            () ->
                earlier.stream()
                    .flatMap(setting -> setting.poolMillis(epochMillis).stream())
                    .findFirst())
        .orElse(epochMillis - offset.aheadMillis() + aheadMillis);
  }
}
