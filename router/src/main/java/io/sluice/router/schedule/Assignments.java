package io.sluice.router.schedule;

import io.sluice.common.protocol.Assignment;
import io.sluice.common.protocol.LeaseRef;
import io.sluice.router.placement.Suspects;
import io.sluice.router.request.History;
import io.sluice.router.request.ReplyStart;
import io.sluice.router.request.RequestMetadata;
import io.sluice.router.request.TimePoint;
import io.sluice.router.request.TrackedRequest;
import java.util.Optional;

/** What workers are told of requests, and from where each reads back what others have written. */
final class Assignments {
  /** So often what is answered already could not be read back that it is made again instead. */
  private static final int GIVE_UP_READING = 4;

  private final SchedulerParts parts;
  private final Suspects suspects;

  Assignments(SchedulerParts parts, Suspects suspects) {
    this.parts = parts;
    this.suspects = suspects;
  }

  /** Where it is certain that nobody has written anything of it yet, its replies begin now. */
  History begun(TrackedRequest tracked, TimePoint now) {
    RequestMetadata metadata = tracked.metadata();
    History history = tracked.history();
    return metadata.fresh() && history.isBlank()
        ? history.newlyFrom(parts.replyStarts().ofNow(metadata.replyTo(), now.epochMillis()))
        : since(tracked, metadata.appendTimeMillis());
  }

  /**
   * From where the worker reads back. What could not be read again and again is given up: an
   * attempt that begins to read behind it restarts the answer.
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

  /** Its replies begin after a time, unless more is known of that already; epoch milliseconds. */
  History since(TrackedRequest tracked, long epochMillis) {
    return tracked
        .history()
        .from(parts.replyStarts().since(tracked.metadata().replyTo(), epochMillis));
  }

  /** What the worker of a lease is told. */
  Assignment of(
      TrackedRequest tracked, LeaseRef lease, Optional<String> fallbackModel, TimePoint now) {
    RequestMetadata metadata = tracked.metadata();
    ReplyStart start = readFrom(tracked, now);
    return new Assignment(
        lease,
        parts.ledger().routerId(),
        metadata.fresh() && lease.attempt() == 1,
        start.offset(),
        start.timeMillis(),
        metadata.replyTo(),
        metadata.endpoint(),
        metadata.priority(),
        metadata.remainingMillis(now),
        metadata.ageMillis(now),
        metadata.appendTimeMillis(),
        metadata.requestPartition(),
        fallbackModel,
        tracked.history().evictions(),
        suspects.contains(metadata.requestId()));
  }
}
