package io.sluice.router.schedule;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonSubTypes;
import com.fasterxml.jackson.annotation.JsonTypeInfo;
import io.sluice.common.protocol.AttemptEnd;
import io.sluice.common.protocol.AttemptHistory;
import io.sluice.common.protocol.ErrorKind;
import io.sluice.common.protocol.LeaseRef;
import io.sluice.common.protocol.Outcome;
import io.sluice.common.protocol.PastAttempt;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * Where a request stands: {@code pending -> leased -> started} and then {@linkplain EndedRequest
 * ended}, back to {@code pending} whenever a lease ends without an answer, and {@code -> ending}
 * and then ended when the router itself has to write a terminal record or a dead letter.
 */
@JsonTypeInfo(use = JsonTypeInfo.Id.NAME, property = "state")
@JsonSubTypes({
  @JsonSubTypes.Type(value = RequestState.Pending.class, name = "pending"),
  @JsonSubTypes.Type(value = RequestState.Leased.class, name = "leased"),
  @JsonSubTypes.Type(value = RequestState.Started.class, name = "started"),
  @JsonSubTypes.Type(value = RequestState.Ending.class, name = "ending")
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
   * It ends with an error; what is left to write of that is on its way.
   *
   * @param lease under which the error is told: the router's own, or that of the worker that did it
   * @param unwritten what is not known to be in the log
   */
  record Ending(
      LeaseRef lease,
      ErrorKind kind,
      String message,
      OptionalLong retryAfterMillis,
      List<EndRecord> unwritten)
      implements RequestState {
    public Ending {
      Objects.requireNonNull(kind);
      unwritten = List.copyOf(unwritten);
    }

    /** The same, now that a record is in the log. */
    Ending without(EndRecord written) {
      List<EndRecord> left = unwritten.stream().filter(record -> record != written).toList();
      return new Ending(lease, kind, message, retryAfterMillis, left);
    }
  }

  /** The lease under which a worker has it. */
  default Optional<LeaseRef> held() {
    return switch (this) {
      case Leased leased -> Optional.of(leased.lease());
      case Started started -> Optional.of(started.lease());
      case Pending ignored -> Optional.empty();
      case Ending ignored -> Optional.empty();
    };
  }

  /**
   * What became of the attempts so far.
   *
   * @param attempts how many were made
   * @param failures how many of them failed in the engine since one last added tokens
   * @param tokens output tokens in the log, as last reported
   * @param firstReplyOffset where the first reply record stands; empty until that is certain
   * @param leasedAtMillis when the last lease was given, epoch milliseconds
   * @param past the attempts that ended without an answer, the latest {@link AttemptHistory#KEPT}
   * @param evictions how often workers handed it back to make room
   */
  record History(
      int attempts,
      int failures,
      int tokens,
      OptionalLong firstReplyOffset,
      OptionalLong leasedAtMillis,
      @JsonInclude(JsonInclude.Include.NON_EMPTY) List<PastAttempt> past,
      int evictions) {
    public static final History NONE = new History(0, 0, 0, OptionalLong.empty());

    /** What an older router did not store is empty. */
    @SuppressWarnings("ConstantValue") // absent JSON fields arrive as null
    public History {
      leasedAtMillis = leasedAtMillis == null ? OptionalLong.empty() : leasedAtMillis;
      past = past == null ? List.of() : List.copyOf(past);
    }

    /** Of attempts of which no more is known. */
    History(int attempts, int failures, int tokens, OptionalLong firstReplyOffset) {
      this(attempts, failures, tokens, firstReplyOffset, OptionalLong.empty(), List.of(), 0);
    }

    /** A lease of this attempt was given, by this router or by one before it. */
    History leased(int attempt, long atMillis) {
      return new History(
          attempt, failures, tokens, firstReplyOffset, OptionalLong.of(atMillis), past, evictions);
    }

    /**
     * An attempt's first reply record stands there. Only that of the first attempt is sure to be
     * the request's first: a later one may follow records of a worker that died before it said so.
     */
    History started(int attempt, long offset) {
      return attempt > 1 || firstReplyOffset.isPresent()
          ? this
          : new History(
              attempts, failures, tokens, OptionalLong.of(offset), leasedAtMillis, past, evictions);
    }

    /** An attempt that added tokens clears what failed before it. */
    History reached(int tokensNow) {
      return tokensNow > tokens
          ? new History(attempts, 0, tokensNow, firstReplyOffset, leasedAtMillis, past, evictions)
          : this;
    }

    History failed() {
      return new History(
          attempts, failures + 1, tokens, firstReplyOffset, leasedAtMillis, past, evictions);
    }

    /** A lease ended without an answer; what was said of its end before is replaced. */
    History ended(LeaseRef lease, AttemptEnd end, Now now) {
      long start = leasedAtMillis.orElse(0);
      List<PastAttempt> ended = new ArrayList<>(past);
      if (!ended.isEmpty() && ended.getLast().lease().equals(lease.lease())) {
        start = ended.removeLast().startEpochMillis();
      }
      ended.add(
          new PastAttempt(
              lease.attempt(),
              lease.worker(),
              lease.lease(),
              start,
              now.epochMillis(),
              tokens,
              end));
      int surplus = Math.max(0, ended.size() - AttemptHistory.KEPT);
      return new History(
          attempts,
          failures,
          tokens,
          firstReplyOffset,
          leasedAtMillis,
          ended.subList(surplus, ended.size()),
          evictions);
    }

    /** A worker gave it back. */
    History returned(Outcome.Returned returned) {
      History reached = reached(returned.tokens());
      return returned.reason() == Outcome.ReturnReason.EVICTED
          ? new History(
              attempts,
              reached.failures,
              reached.tokens,
              firstReplyOffset,
              leasedAtMillis,
              past,
              evictions + 1)
          : reached;
    }

    /** As dead letters tell it. */
    public AttemptHistory forLetter() {
      return new AttemptHistory(attempts, tokens, past);
    }
  }
}
