package io.sluice.producer.follow;

import io.sluice.common.protocol.RequestId;
import java.time.Duration;
import java.time.Instant;

/** Since when a request can have records, by the brokers' clocks. Stateless. */
public final class EarliestTime {
  /**
   * By the protocol, the first reply record is never older than the time in the UUIDv7 minus this.
   */
  private static final Duration CLOCK_SKEW = Duration.ofMinutes(5);

  private EarliestTime() {}

  /**
   * Returns a time before the first record of a request; the time of all records if the id contains
   * none.
   */
  public static Instant of(String requestId) {
    return RequestId.timeOf(requestId).map(EarliestTime::before).orElse(Instant.EPOCH);
  }

  /** Returns a time before the records that are written from a time on, by another clock. */
  public static Instant before(Instant time) {
    return notBeforeEpoch(time.minus(CLOCK_SKEW));
  }

  /** Returns the time, or the earliest one that Kafka knows. */
  public static Instant notBeforeEpoch(Instant time) {
    return time.isAfter(Instant.EPOCH) ? time : Instant.EPOCH;
  }
}
