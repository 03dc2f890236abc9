package io.sluice.router.request;

import io.sluice.common.protocol.ReplyAddress;
import java.time.Duration;
import java.util.OptionalLong;

/**
 * Finds where the records of requests start in the reply log. Calls return at once. Thread-safe.
 */
@FunctionalInterface
public interface ReplyStarts {
  /** A scan without a known offset starts this much before the given time. */
  Duration MARGIN = Duration.ofSeconds(60);

  /** Knows no offsets, and only one clock. */
  ReplyStarts BY_TIME = (address, epochMillis) -> byTime(epochMillis);

  /**
   * Returns the start of a reply that begins now: the recent end of the partition, if it is known.
   */
  ReplyStart ofNow(ReplyAddress address, long epochMillis);

  /**
   * Returns the start of a reply that may have begun at any time since then, epoch milliseconds of
   * the pool's time.
   */
  default ReplyStart since(ReplyAddress address, long epochMillis) {
    return byTime(epochMillis);
  }

  /** Returns a start by the clock in which the time is given. */
  static ReplyStart byTime(long epochMillis) {
    return new ReplyStart(OptionalLong.empty(), Math.max(0, epochMillis - MARGIN.toMillis()));
  }
}
