package io.sluice.router.queue;

import io.sluice.router.request.TimePoint;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Stream;

/**
 * How long requests of each kind have been served without a pause: some dispatched and some
 * answered. Thread-safe.
 */
final class ServingActivity {
  /**
   * If no request of a kind is dispatched, or none is answered, for longer, the kind is not being
   * served.
   */
  private static final Duration PAUSE = Duration.ofSeconds(10);

  private final Duration maxWait;

  /** When a request of each model was last dispatched. */
  private final Map<String, Long> models = new ConcurrentHashMap<>();

  private final ActivityPeriods sent;
  private final ActivityPeriods answered;

  /**
   * Creates an instance without any activity.
   *
   * @param maxWait the longest time that a request may wait while others of its kind are served
   */
  ServingActivity(Duration maxWait) {
    this.maxWait = maxWait;
    // However short the maximum wait is, a single pause must not cover all of it.
    Duration half = maxWait.dividedBy(2);
    Duration pause = half.compareTo(PAUSE) < 0 ? half : PAUSE;
    this.sent = new ActivityPeriods(pause);
    this.answered = new ActivityPeriods(pause);
  }

  /** A request was dispatched for the first time. */
  void sent(RequestKind kind, TimePoint now) {
    sent.happened(kind, now.nanos());
    models.put(kind.model(), now.nanos());
  }

  /**
   * Returns whether a request of a model was dispatched for the first time within the last 10 s.
   */
  boolean wasSentLately(String model, TimePoint now) {
    Long last = models.get(model);
    return last != null && now.nanos() - last <= PAUSE.toNanos();
  }

  void answered(RequestKind kind, TimePoint now) {
    answered.happened(kind, now.nanos());
  }

  /**
   * Returns whether a request has waited for the maximum time, counted from its arrival or from the
   * last pause in serving its kind.
   */
  boolean hasWaitedTooLong(RequestKind kind, long sinceNanos, TimePoint now) {
    return Stream.of(sent, answered)
        .map(streaks -> streaks.lasting(kind, sinceNanos, now.nanos()))
        .allMatch(lasting -> lasting.filter(served -> served.compareTo(maxWait) >= 0).isPresent());
  }
}
