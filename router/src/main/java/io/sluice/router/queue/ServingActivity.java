package io.sluice.router.queue;

import io.sluice.router.request.TimePoint;
import java.time.Duration;
import java.util.stream.Stream;

/**
 * For how long requests of each kind have been served without a pause: some sent to workers, and
 * some answered. Thread-safe.
 */
final class ServingActivity {
  /** Where nothing of a kind is sent, or nothing answered, for longer, nobody serves it. */
  private static final Duration PAUSE = Duration.ofSeconds(10);

  private final Duration maxWait;
  private final ActivityPeriods sent;
  private final ActivityPeriods answered;

  /**
   * Nothing is served yet.
   *
   * @param maxWait how long a request may wait while others of its kind are served
   */
  ServingActivity(Duration maxWait) {
    this.maxWait = maxWait;
    // A single pause, however short a wait is allowed, is not all of it.
    Duration half = maxWait.dividedBy(2);
    Duration pause = half.compareTo(PAUSE) < 0 ? half : PAUSE;
    this.sent = new ActivityPeriods(pause);
    this.answered = new ActivityPeriods(pause);
  }

  /** A request was sent for the first time. */
  void sent(RequestKind kind, TimePoint now) {
    sent.happened(kind, now.nanos());
  }

  void answered(RequestKind kind, TimePoint now) {
    answered.happened(kind, now.nanos());
  }

  /**
   * Whether a request has waited for as long as is allowed since a pause in which nobody served its
   * kind, or since it came.
   */
  boolean hasWaitedTooLong(RequestKind kind, long sinceNanos, TimePoint now) {
    return Stream.of(sent, answered)
        .map(streaks -> streaks.lasting(kind, sinceNanos, now.nanos()))
        .allMatch(lasting -> lasting.filter(served -> served.compareTo(maxWait) >= 0).isPresent());
  }
}
