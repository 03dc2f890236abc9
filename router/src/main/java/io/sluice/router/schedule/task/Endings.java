package io.sluice.router.schedule.task;

import io.sluice.common.protocol.ErrorKind;
import io.sluice.common.protocol.LeaseRef;
import io.sluice.router.catalog.ReplyAddresses;
import io.sluice.router.request.EndRecord;
import io.sluice.router.request.EndedRequest;
import io.sluice.router.request.RequestMetadata;
import io.sluice.router.request.RequestState.Ending;
import io.sluice.router.request.RequestStore;
import io.sluice.router.request.TimePoint;
import io.sluice.router.request.TrackedRequest;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * The steps that end a request: an error from the router or a worker, the records of the end, and
 * what is remembered of it. The callers decide when a step is due. Not thread-safe.
 */
public final class Endings {
  /**
   * The attempt number of the router's own errors, above the last attempt that it knows. A router
   * that died may have given attempts that never reached the store, and of two leases with the same
   * attempt the first in the log counts.
   */
  private static final int AHEAD = 1_000;

  private static final Duration LEAST_RETRY_AFTER = Duration.ofSeconds(1);
  private static final Duration MOST_RETRY_AFTER = Duration.ofMinutes(1);

  private final RequestStore store;
  private final Effects effects;
  private final SchedulerParts parts;
  private final TaskMemory memory;
  private final EndWriter writer;

  Endings(
      RequestStore store,
      Effects effects,
      SchedulerParts parts,
      TaskMemory memory,
      ReplyAddresses addresses) {
    this.store = store;
    this.effects = effects;
    this.parts = parts;
    this.memory = memory;
    this.writer = new EndWriter(store, effects, parts.bodies(), addresses);
  }

  /** Refuses a request for which there is no room. The retry-after time is limited to 1 to 60 s. */
  public void overloaded(TrackedRequest tracked, String message, Duration retryAfter) {
    long millis =
        Math.clamp(
            retryAfter.toMillis(), LEAST_RETRY_AFTER.toMillis(), MOST_RETRY_AFTER.toMillis());
    refuse(tracked, ErrorKind.OVERLOADED, message, OptionalLong.of(millis));
  }

  public void refuse(TrackedRequest tracked, ErrorKind kind, String message) {
    refuse(tracked, kind, message, OptionalLong.empty());
  }

  /**
   * Ends a request with an error record from the router, which outranks anything that a worker
   * still writes.
   */
  public void refuse(
      TrackedRequest tracked, ErrorKind kind, String message, OptionalLong retryAfterMillis) {
    RequestMetadata metadata = tracked.metadata();
    tracked.state().activeLease().ifPresent(effects::revoke);
    int attempt = tracked.history().attempts() + AHEAD;
    LeaseRef lease =
        new LeaseRef(
            metadata.requestId(), attempt, Transitions.newLeaseId(), parts.ledger().routerId(), "");
    List<EndRecord> records =
        writer.leavesDeadLetter(tracked, kind)
            ? List.of(EndRecord.DEAD_LETTER, EndRecord.TERMINAL)
            : List.of(EndRecord.TERMINAL);
    end(tracked, tracked.open().end(lease, kind, message, retryAfterMillis, records));
    parts.listener().refused(metadata, kind);
    parts.listener().ended(tracked, Optional.of(kind));
  }

  /** A worker has answered with an error. */
  public void answeredWithError(
      TrackedRequest tracked, LeaseRef lease, ErrorKind kind, String message, TimePoint now) {
    List<EndRecord> records =
        writer.leavesDeadLetter(tracked, kind)
            ? List.of(EndRecord.DEAD_LETTER)
            : List.<EndRecord>of();
    Ending ending = tracked.open().end(lease, kind, message, OptionalLong.empty(), records);
    end(tracked, ending);
    parts.listener().answered(tracked.metadata());
    parts.listener().ended(tracked, Optional.of(kind));
    if (records.isEmpty()) {
      finish(tracked.in(ending), now);
    }
  }

  private void end(TrackedRequest tracked, Ending ending) {
    memory.endLease(tracked.requestId());
    memory.waitsNoMore(tracked.metadata());
    TrackedRequest ended = tracked.in(ending);
    store.put(ended);
    write(ended, ending, ending.unwritten());
  }

  /** Writes end records that are not known to be in the log. A record may be written twice. */
  public void write(TrackedRequest tracked, Ending ending, List<EndRecord> records) {
    writer.write(tracked, ending, records);
  }

  /** One of the end records is in the log. */
  public void written(TrackedRequest tracked, Ending ending, EndRecord record, TimePoint now) {
    Ending left = ending.without(record);
    if (left.unwritten().isEmpty()) {
      finish(tracked, now);
    } else {
      store.put(tracked.in(left));
    }
  }

  /** Everything about the request's end is in the log, from this router or another writer. */
  public void finish(TrackedRequest tracked, TimePoint now) {
    RequestMetadata metadata = tracked.metadata();
    memory.charges().forget(metadata.requestId());
    memory.endLease(metadata.requestId());
    memory.waitsNoMore(metadata);
    memory.forgetTimes(metadata);
    memory.recentHandBacks().forget(metadata.requestId());
    memory.prefixes().forget(metadata.requestId());
    memory.suspects().cleared(metadata.requestId());
    parts.bodies().forget(metadata.source());
    long latest = now.epochMillis() + parts.longestDeadline().toMillis();
    long deadline = Math.clamp(metadata.deadlineEpochMillis(), now.epochMillis(), latest);
    long forgetAt = deadline + EndedRequest.REMEMBERED.toMillis();
    memory.ended().add(EndedRequest.of(tracked, forgetAt));
    if (!(tracked.state() instanceof Ending)) {
      parts.listener().answered(metadata);
      parts.listener().ended(tracked, Optional.empty());
    }
  }
}
