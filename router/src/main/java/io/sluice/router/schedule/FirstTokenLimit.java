package io.sluice.router.schedule;

import io.sluice.router.placement.Placement;
import io.sluice.router.queue.Backlog;
import io.sluice.router.request.TimePoint;
import io.sluice.router.request.TrackedRequest;
import java.time.Duration;
import java.util.OptionalLong;

/**
 * Refuses requests whose first token is expected later than their caller wants it (header {@code
 * slo-ttft-ms}), as soon as that is known: they would take time from others for nothing. A request
 * that was with a worker before is never refused, because it may have tokens.
 *
 * <p>What is expected of a worker follows from what it has done lately. So that a wrong expectation
 * does not last, it refuses nothing while no request of the model was sent for a while. Not
 * thread-safe.
 */
final class FirstTokenLimit {
  private final Backlog backlog;
  private final Endings endings;

  FirstTokenLimit(Backlog backlog, Endings endings) {
    this.backlog = backlog;
    this.endings = endings;
  }

  /**
   * When the first token of a request has to be expected, in epoch milliseconds; empty if that does
   * not matter.
   */
  OptionalLong latest(TrackedRequest tracked, TimePoint now) {
    return backlog.wasSentLately(tracked.metadata().model(), now)
        ? wanted(tracked)
        : OptionalLong.empty();
  }

  private static OptionalLong wanted(TrackedRequest tracked) {
    return tracked.history().attempts() == 0
        ? tracked.metadata().firstTokenByMillis()
        : OptionalLong.empty();
  }

  /** Refuses a request that has this outlook. */
  void refuse(TrackedRequest tracked, Placement.Result.TooLate result, TimePoint now) {
    refuse(tracked, now.epochMillis() + Math.round(result.decision().millisToFirstToken()));
  }

  /** Refuses a waiting request if its time is over; returns whether it did. */
  boolean refuseOverdue(TrackedRequest tracked, TimePoint now) {
    boolean isOver = wanted(tracked).orElse(Long.MAX_VALUE) <= now.epochMillis();
    if (isOver) {
      refuse(tracked, now.epochMillis());
    }
    return isOver;
  }

  private void refuse(TrackedRequest tracked, long expectedMillis) {
    endings.overloaded(
        tracked,
        "the first token is expected %d ms after the request, later than slo-ttft-ms allows; try again later, or allow more"
            .formatted(expectedMillis - tracked.metadata().appendTimeMillis()),
        Duration.ofMillis(expectedMillis - wanted(tracked).orElse(expectedMillis)));
  }
}
