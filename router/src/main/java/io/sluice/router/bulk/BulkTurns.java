package io.sluice.router.bulk;

import io.sluice.router.queue.BulkSize;
import io.sluice.router.request.RequestMetadata;
import java.util.Optional;

/**
 * Which parked request enters next: those of which only the end is to be reported first, then those
 * that can no longer be postponed, then others as far as there is room. Not thread-safe.
 */
public final class BulkTurns {
  private final ParkedRequests parked;
  private final BulkAllowance allowance;

  /** Turns of requests that are only known by {@link #park}. */
  public BulkTurns(BulkAllowance allowance) {
    this(new ParkedRequests(), allowance);
  }

  BulkTurns(ParkedRequests parked, BulkAllowance allowance) {
    this.parked = parked;
    this.allowance = allowance;
  }

  /** A request waits for its turn. */
  public void park(RequestMetadata metadata) {
    parked.add(
        ParkedRequest.of(
            metadata,
            0,
            metadata.deadlineEpochMillis(),
            metadata.slackEndsMillis(),
            parked.line(metadata.tenant(), BulkSize.of(metadata)),
            0));
  }

  /** Returns the number of requests that wait. */
  public int size() {
    return parked.size();
  }

  /** Removes the next request, and takes up its room; returns the offset of its record. */
  public Optional<Long> takeOffset(BulkOpenings openings, long nowEpochMillis) {
    return take(openings, nowEpochMillis).map(ParkedRequest::offset);
  }

  /** Removes the next request, and takes up its room. */
  Optional<ParkedRequest> take(BulkOpenings openings, long nowEpochMillis) {
    return parked
        .takeEnding()
        .or(() -> due(openings, nowEpochMillis))
        .or(() -> parked.take(openings));
  }

  /**
   * Requests that cannot wait enter regardless of room, if any requests are taken, and use the room
   * of the others.
   */
  private Optional<ParkedRequest> due(BulkOpenings openings, long nowEpochMillis) {
    Optional<ParkedRequest> due =
        allowance.isShut() ? Optional.empty() : parked.takeDeadlineCritical(nowEpochMillis);
    due.ifPresent(request -> openings.tryTake(request.line().kind(), request.contextTokens()));
    return due;
  }
}
