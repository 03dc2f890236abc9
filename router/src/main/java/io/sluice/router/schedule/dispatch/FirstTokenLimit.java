package io.sluice.router.schedule.dispatch;

import io.sluice.common.protocol.Priority;
import io.sluice.router.placement.Placement;
import io.sluice.router.queue.Backlog;
import io.sluice.router.request.RequestMetadata;
import io.sluice.router.request.TimePoint;
import io.sluice.router.request.TrackedRequest;
import io.sluice.router.schedule.task.Endings;
import java.time.Duration;
import java.util.OptionalLong;

/**
 * Refuses requests whose first token is expected later than their caller wants it (header {@code
 * slo-ttft-ms}), as soon as that is known: they would take time from others for nothing. A request
 * that was with a worker before is never refused, because it may have tokens. One that a fallback
 * model may serve is only refused when its time is over.
 *
 * <p>What is expected of a worker follows from what it has done lately. So that a wrong expectation
 * does not last, it refuses nothing while no request of the model was sent for a while. Not
 * thread-safe.
 */
public final class FirstTokenLimit {
  private final Backlog backlog;
  private final Endings endings;

  public FirstTokenLimit(Backlog backlog, Endings endings) {
    this.backlog = backlog;
    this.endings = endings;
  }

  /**
   * Returns when the first token of a request has to be expected, in epoch milliseconds; empty if
   * that does not matter.
   */
  OptionalLong latest(TrackedRequest tracked, TimePoint now) {
    return backlog.wasSentLately(tracked.metadata().model(), now)
        ? wanted(tracked)
        : OptionalLong.empty();
  }

  private static OptionalLong wanted(TrackedRequest tracked) {
    RequestMetadata metadata = tracked.metadata();
    // A control may have made it bulk.
    return tracked.history().attempts() == 0 && metadata.priority() != Priority.BULK
        ? metadata.firstTokenByMillis()
        : OptionalLong.empty();
  }

  /** Refuses a request that has this outlook; returns whether it did. */
  boolean refuse(TrackedRequest tracked, Placement.Result.TooLate result, TimePoint now) {
    boolean isRefused = tracked.metadata().onFallback().isEmpty();
    if (isRefused) {
      refuse(tracked, now.epochMillis() + Math.round(result.decision().millisToFirstToken()));
    }
    return isRefused;
  }

  /** Refuses a waiting request if its time is over; returns whether it did. */
  public boolean refuseOverdue(TrackedRequest tracked, TimePoint now) {
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
