package io.sluice.router.schedule.task;

import io.sluice.common.protocol.Assignment;
import io.sluice.common.protocol.AssignmentBuilder;
import io.sluice.common.protocol.LeaseRef;
import io.sluice.router.placement.Suspects;
import io.sluice.router.request.History;
import io.sluice.router.request.ReplyStart;
import io.sluice.router.request.RequestMetadata;
import io.sluice.router.request.TimePoint;
import io.sluice.router.request.TrackedRequest;
import java.util.Optional;

/** Builds assignments, including the place from which a worker reads back earlier attempts. */
final class Assignments {
  /**
   * After this many failed attempts to read the answer back, the answer is generated from the
   * start.
   */
  private static final int GIVE_UP_READING = 4;

  private final SchedulerParts parts;
  private final Suspects suspects;

  Assignments(SchedulerParts parts, Suspects suspects) {
    this.parts = parts;
    this.suspects = suspects;
  }

  /** If no other attempt can have written anything yet, the replies begin now. */
  History begun(TrackedRequest tracked, TimePoint now) {
    RequestMetadata metadata = tracked.metadata();
    History history = tracked.history();
    return metadata.fresh() && history.isBlank()
        ? history.newlyFrom(parts.replyStarts().ofNow(metadata.replyTo(), now.epochMillis()))
        : since(tracked, metadata.appendTimeMillis());
  }

  /**
   * Returns the place from which the worker reads back. After repeated read failures it is the
   * current end of the log, so the attempt restarts the answer.
   */
  private ReplyStart readFrom(TrackedRequest tracked, TimePoint now) {
    History history = tracked.history();
    ReplyStart start = history.scans().from().orElseThrow();
    if (history.scans().failed() >= GIVE_UP_READING) {
      return parts.replyStarts().ofNow(tracked.metadata().replyTo(), now.epochMillis());
    }
    return history.firstReplyOffset().isPresent()
        ? new ReplyStart(history.firstReplyOffset(), start.timeMillis())
        : start;
  }

  /**
   * The replies begin after a time, epoch milliseconds, unless an earlier place is already known.
   */
  History since(TrackedRequest tracked, long epochMillis) {
    return tracked
        .history()
        .from(parts.replyStarts().since(tracked.metadata().replyTo(), epochMillis));
  }

  /** Returns what the worker of a lease is told. */
  Assignment of(
      TrackedRequest tracked, LeaseRef lease, Optional<String> fallbackModel, TimePoint now) {
    RequestMetadata metadata = tracked.metadata();
    ReplyStart start = readFrom(tracked, now);
    return AssignmentBuilder.builder()
        .lease(lease)
        .router(parts.ledger().routerId())
        .fresh(metadata.fresh() && lease.attempt() == 1)
        .foldFromOffset(start.offset())
        .foldFromTimeMillis(start.timeMillis())
        .replyTo(metadata.replyTo())
        .endpoint(metadata.endpoint())
        .tenant(metadata.tenant())
        .priority(metadata.priority())
        .remainingMillis(metadata.remainingMillis(now))
        .ageMillis(metadata.ageMillis(now))
        .appendTimeMillis(metadata.appendTimeMillis())
        .requestPartition(metadata.requestPartition())
        .evictions(tracked.history().evictions())
        .suspect(suspects.contains(metadata.requestId()))
        .fallbackModel(fallbackModel)
        .trace(metadata.trace().map(trace -> trace.attempt(lease.lease())))
        .build();
  }
}
