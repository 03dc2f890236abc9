package io.sluice.router.schedule;

import com.fasterxml.jackson.annotation.JsonSubTypes;
import com.fasterxml.jackson.annotation.JsonTypeInfo;
import io.sluice.common.protocol.LeaseRef;
import io.sluice.common.protocol.Outcome;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * Where a request stands: {@code pending -> leased -> started -> ended}, back to {@code pending}
 * whenever a lease ends without an answer, and {@code -> ending -> ended} when the router itself
 * has to write the terminal record.
 */
@JsonTypeInfo(use = JsonTypeInfo.Id.NAME, property = "state")
@JsonSubTypes({
  @JsonSubTypes.Type(value = RequestState.Pending.class, name = "pending"),
  @JsonSubTypes.Type(value = RequestState.Leased.class, name = "leased"),
  @JsonSubTypes.Type(value = RequestState.Started.class, name = "started"),
  @JsonSubTypes.Type(value = RequestState.Ending.class, name = "ending"),
  @JsonSubTypes.Type(value = RequestState.Ended.class, name = "ended")
})
public sealed interface RequestState {

  /**
   * Waits for a worker.
   *
   * @param notBeforeMillis not to be sent before, epoch milliseconds
   * @param last the lease it had before, whose late completion still counts
   */
  record Pending(long notBeforeMillis, Optional<LeaseRef> last) implements RequestState {}

  /** Sent to a worker. */
  record Leased(LeaseRef lease) implements RequestState {}

  /** Generating; its reply is in the log from {@code History.firstReplyOffset} on. */
  record Started(LeaseRef lease) implements RequestState {}

  /**
   * The router's terminal record is on its way.
   *
   * @param lease the router's own lease, under which the record goes out
   * @param reply the record's value
   */
  record Ending(LeaseRef lease, byte[] reply) implements RequestState {}

  /**
   * Over; kept so that a repeat is not run again.
   *
   * @param forgetAtMillis epoch milliseconds
   */
  record Ended(long forgetAtMillis) implements RequestState {}

  /** The lease under which a worker has it. */
  default Optional<LeaseRef> held() {
    return switch (this) {
      case Leased leased -> Optional.of(leased.lease());
      case Started started -> Optional.of(started.lease());
      case Pending ignored -> Optional.empty();
      case Ending ignored -> Optional.empty();
      case Ended ignored -> Optional.empty();
    };
  }

  /**
   * What became of the attempts so far.
   *
   * @param attempts how many were made
   * @param failures how many of them failed in the engine since one last added tokens
   * @param tokens output tokens in the log, as last reported
   * @param firstReplyOffset where the first reply record stands; empty until that is certain
   * @param evictions how often workers handed it back to make room; what older routers stored has
   *     none
   */
  record History(
      int attempts, int failures, int tokens, OptionalLong firstReplyOffset, int evictions) {
    static final History NONE = new History(0, 0, 0, OptionalLong.empty(), 0);

    /** A lease of this attempt was given, by this router or by one before it. */
    History leased(int attempt) {
      return new History(attempt, failures, tokens, firstReplyOffset, evictions);
    }

    /**
     * An attempt's first reply record stands there. Only that of the first attempt is sure to be
     * the request's first: a later one may follow records of a worker that died before it said so.
     */
    History started(int attempt, long offset) {
      return attempt > 1 || firstReplyOffset.isPresent()
          ? this
          : new History(attempts, failures, tokens, OptionalLong.of(offset), evictions);
    }

    /** An attempt that added tokens clears what failed before it. */
    History reached(int tokensNow) {
      return tokensNow > tokens
          ? new History(attempts, 0, tokensNow, firstReplyOffset, evictions)
          : this;
    }

    History failed() {
      return new History(attempts, failures + 1, tokens, firstReplyOffset, evictions);
    }

    /** A worker gave it back. */
    History returned(Outcome.Returned returned) {
      History reached = reached(returned.tokens());
      return returned.reason() == Outcome.ReturnReason.EVICTED
          ? new History(attempts, reached.failures, reached.tokens, firstReplyOffset, evictions + 1)
          : reached;
    }
  }
}
