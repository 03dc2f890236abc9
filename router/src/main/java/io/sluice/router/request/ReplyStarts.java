package io.sluice.router.request;

import io.sluice.common.protocol.ReplyAddress;
import java.time.Duration;
import java.util.OptionalLong;

/** Where the records of requests begin in the reply log. Calls return at once. Thread-safe. */
@FunctionalInterface
public interface ReplyStarts {
  /** So much earlier than a time a scan begins that has no offset to go by. */
  Duration MARGIN = Duration.ofSeconds(60);

  /** Knows no offsets, and of one clock only. */
  ReplyStarts BY_TIME = (address, epochMillis) -> byTime(epochMillis);

  /** What begins now: where the partition ended a moment ago, if that is known. */
  ReplyStart ofNow(ReplyAddress address, long epochMillis);

  /** What may have begun at any time since then; epoch milliseconds of the pool's time. */
  default ReplyStart since(ReplyAddress address, long epochMillis) {
    return byTime(epochMillis);
  }

  /** A start by the clock that the time is told in. */
  static ReplyStart byTime(long epochMillis) {
    return new ReplyStart(OptionalLong.empty(), Math.max(0, epochMillis - MARGIN.toMillis()));
  }
}
