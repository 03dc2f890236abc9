package io.sluice.router.schedule;

import io.sluice.router.request.EndRecord;
import io.sluice.router.request.TimePoint;
import java.time.Duration;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;

/**
 * End records that could not be written, with the time of the next retry: after one second, then
 * with a growing backoff of at most one minute. The caller decides when to give up. Not
 * thread-safe.
 */
final class EndRetries {
  static final Duration FIRST_BACKOFF = Duration.ofSeconds(1);
  static final Duration LONGEST_BACKOFF = Duration.ofMinutes(1);
  private static final int MAX_DOUBLINGS = 6;

  private static final class Retry {
    private final Set<EndRecord> records = EnumSet.noneOf(EndRecord.class);
    private int tries;
    private long notBeforeMillis;
  }

  private final Map<String, Retry> retries = new HashMap<>();

  /** A record could not be written. Returns when to retry, epoch milliseconds. */
  long failed(String requestId, EndRecord record, TimePoint now) {
    Retry retry = retries.computeIfAbsent(requestId, any -> new Retry());
    retry.records.add(record);
    retry.notBeforeMillis = now.epochMillis() + backoff(retry.tries).toMillis();
    return retry.notBeforeMillis;
  }

  /** Returns the records to write again now. */
  Set<EndRecord> due(String requestId, TimePoint now) {
    Retry retry = retries.get(requestId);
    if (retry == null || retry.records.isEmpty() || now.epochMillis() < retry.notBeforeMillis) {
      return Set.of();
    }
    Set<EndRecord> due = EnumSet.copyOf(retry.records);
    retry.records.clear();
    retry.tries++;
    return due;
  }

  /** The request has ended. */
  void forget(String requestId) {
    retries.remove(requestId);
  }

  /** Returns the backoff after this many retries. */
  static Duration backoff(int tries) {
    Duration backoff = FIRST_BACKOFF.multipliedBy(1L << Math.min(tries, MAX_DOUBLINGS));
    return backoff.compareTo(LONGEST_BACKOFF) < 0 ? backoff : LONGEST_BACKOFF;
  }
}
