package io.sluice.producer.stream;

import io.sluice.common.protocol.ErrorKind;
import io.sluice.producer.stream.StreamTerms.OverdueEnd;
import java.util.Optional;

/**
 * When the client itself ends a stream that the pool does not end. Guarded by the stream's lock.
 */
final class StreamExpiry {
  private static final OverdueEnd CANCELLED =
      new OverdueEnd(ErrorKind.CANCELLED, "cancelled; the pool did not confirm it in time", false);

  private final OverdueEnd overdueEnd;
  private long expiryNanos;
  private boolean hasHeard;
  private boolean isCancelled;

  /**
   * @param overdueEnd how the stream ends when its time is over
   * @param expiryNanos when its time is over
   */
  StreamExpiry(OverdueEnd overdueEnd, long expiryNanos) {
    this.overdueEnd = overdueEnd;
    this.expiryNanos = expiryNanos;
  }

  /** There is a record of the request. */
  void heard() {
    hasHeard = true;
  }

  /** Postpones the end. */
  void notBefore(long nanos) {
    if (nanos - expiryNanos > 0 && !isCancelled) {
      expiryNanos = nanos;
    }
  }

  /** Kafka has accepted the cancellation: the end is moved forward. */
  void cancelledBy(long nanos) {
    isCancelled = true;
    if (nanos - expiryNanos < 0) {
      expiryNanos = nanos;
    }
  }

  /** Returns how the stream ends if its time is over. */
  Optional<OverdueEnd> endAt(long nowNanos) {
    boolean isUnlimited = hasHeard && overdueEnd.isBrokenByFirstRecord() && !isCancelled;
    if (isUnlimited || nowNanos - expiryNanos < 0) {
      return Optional.empty();
    }
    return Optional.of(isCancelled ? CANCELLED : overdueEnd);
  }
}
