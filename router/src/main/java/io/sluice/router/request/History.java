package io.sluice.router.request;

import com.fasterxml.jackson.annotation.JsonIgnore;
import com.fasterxml.jackson.annotation.JsonInclude;
import io.sluice.common.protocol.AttemptEnd;
import io.sluice.common.protocol.AttemptEnd.Reason;
import io.sluice.common.protocol.AttemptHistory;
import io.sluice.common.protocol.LeaseRef;
import io.sluice.common.protocol.Outcome;
import io.sluice.common.protocol.PastAttempt;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * What became of the attempts so far.
 *
 * @param attempts how many were made
 * @param failures how many of them failed in the engine since one last added tokens
 * @param tokens output tokens in the log, as last reported
 * @param firstReplyOffset where the first reply record stands; empty until that is certain
 * @param leasedAtMillis when the last lease was given, epoch milliseconds
 * @param past the attempts that ended without an answer: all at which a worker died, besides the
 *     latest, {@link AttemptHistory#KEPT} in all
 * @param evictions how often workers handed it back to make room
 * @param scans what is known of reading its replies back
 */
public record History(
    int attempts,
    int failures,
    int tokens,
    OptionalLong firstReplyOffset,
    OptionalLong leasedAtMillis,
    @JsonInclude(JsonInclude.Include.NON_EMPTY) List<PastAttempt> past,
    int evictions,
    Scans scans) {
  public static final History NONE = new History(0, 0, 0, OptionalLong.empty());

  /** What an older router did not store is empty. */
  @SuppressWarnings("ConstantValue") // absent JSON fields arrive as null
  public History {
    leasedAtMillis = leasedAtMillis == null ? OptionalLong.empty() : leasedAtMillis;
    past = past == null ? List.of() : List.copyOf(past);
    scans = scans == null ? Scans.NONE : scans;
  }

  /**
   * Of the reading back of what earlier attempts have written.
   *
   * @param from before which nothing of it can be; empty as long as nobody was asked
   * @param failed how often it could not be read since an attempt last added tokens
   * @param empty how many attempts came back from workers that had made no token
   */
  public record Scans(Optional<ReplyStart> from, int failed, int empty) {
    static final Scans NONE = new Scans(Optional.empty(), 0, 0);

    /** What an older router did not store is empty. */
    @SuppressWarnings("ConstantValue") // absent JSON fields arrive as null
    public Scans {
      from = from == null ? Optional.empty() : from;
    }
  }

  /** Of attempts of which no more is known. */
  History(int attempts, int failures, int tokens, OptionalLong firstReplyOffset) {
    this(
        attempts,
        failures,
        tokens,
        firstReplyOffset,
        OptionalLong.empty(),
        List.of(),
        0,
        Scans.NONE);
  }

  /** A lease of this attempt was given, by this router or by one before it. */
  public History leased(int attempt, long atMillis) {
    return new History(
        attempt,
        failures,
        tokens,
        firstReplyOffset,
        OptionalLong.of(atMillis),
        past,
        evictions,
        scans);
  }

  /**
   * An attempt's first reply record stands there. Only that of the first attempt is sure to be the
   * request's first: a later one may follow records of a worker that died before it said so.
   */
  public History started(int attempt, long offset) {
    return attempt > 1 || firstReplyOffset.isPresent()
        ? this
        : new History(
            attempts,
            failures,
            tokens,
            OptionalLong.of(offset),
            leasedAtMillis,
            past,
            evictions,
            scans);
  }

  /** An attempt that added tokens clears what failed before it. */
  public History reached(int tokensNow) {
    return tokensNow > tokens
        ? new History(
                attempts,
                0,
                tokensNow,
                firstReplyOffset,
                leasedAtMillis,
                past,
                evictions,
                new Scans(scans.from(), 0, scans.empty()))
            .proven()
        : this;
  }

  /** How many workers died at it since it last gave a token. */
  public int deaths() {
    return dead().size();
  }

  /** Which workers died at it since it last gave a token, the last one last. */
  public List<String> dead() {
    return past.stream()
        .filter(ended -> ended.end().reason() == Reason.DIED)
        .map(PastAttempt::worker)
        .toList();
  }

  /** It gave a token: no worker died of it. */
  public History proven() {
    return deaths() == 0
        ? this
        : withPast(past.stream().map(ended -> judged(ended, Reason.LOST)).toList());
  }

  /** What became of the worker of an attempt that was lost is known better now. */
  public History judged(LeaseRef lease, Reason reason) {
    return withPast(
        past.stream()
            .map(ended -> ended.lease().equals(lease.lease()) ? judged(ended, reason) : ended)
            .toList());
  }

  private static PastAttempt judged(PastAttempt ended, Reason reason) {
    Reason before = ended.end().reason();
    return before == Reason.DIED || before == Reason.LOST
        ? new PastAttempt(
            ended.attempt(),
            ended.worker(),
            ended.lease(),
            ended.startEpochMillis(),
            ended.endEpochMillis(),
            ended.tokens(),
            AttemptEnd.of(reason, ended.end().code()))
        : ended;
  }

  private History withPast(List<PastAttempt> newPast) {
    return new History(
        attempts, failures, tokens, firstReplyOffset, leasedAtMillis, newPast, evictions, scans);
  }

  public History failed() {
    return new History(
        attempts, failures + 1, tokens, firstReplyOffset, leasedAtMillis, past, evictions, scans);
  }

  /** What is in the log of it could not be read. */
  public History unreadable() {
    return with(new Scans(scans.from(), scans.failed() + 1, scans.empty()));
  }

  /** Nothing of it is before that place; the first word on that counts. */
  public History from(ReplyStart start) {
    return scans.from().isPresent() ? this : newlyFrom(start);
  }

  /** Nothing of it is before that place, whatever was said before. */
  public History newlyFrom(ReplyStart start) {
    return with(new Scans(Optional.of(start), scans.failed(), scans.empty()));
  }

  /** Whether no attempt has left anything that the next one could go on from. */
  @JsonIgnore
  public boolean isBlank() {
    return scans.empty() == attempts && firstReplyOffset.isEmpty();
  }

  private History with(Scans newScans) {
    return new History(
        attempts, failures, tokens, firstReplyOffset, leasedAtMillis, past, evictions, newScans);
  }

  /** A lease ended without an answer; what was said of its end before is replaced. */
  public History ended(LeaseRef lease, AttemptEnd end, TimePoint now) {
    long start = leasedAtMillis.orElse(0);
    List<PastAttempt> ended = new ArrayList<>(past);
    if (!ended.isEmpty() && ended.getLast().lease().equals(lease.lease())) {
      start = ended.removeLast().startEpochMillis();
    }
    ended.add(
        new PastAttempt(
            lease.attempt(), lease.worker(), lease.lease(), start, now.epochMillis(), tokens, end));
    while (ended.size() > AttemptHistory.KEPT) {
      // The oldest of the least weight.
      ended.remove(Collections.min(ended, Comparator.comparingInt(History::weight)));
    }
    return withPast(ended);
  }

  /** By what it is judged goes last: the attempts at which a worker died, or may have. */
  private static int weight(PastAttempt ended) {
    return switch (ended.end().reason()) {
      case DIED -> 2;
      case LOST -> 1;
      default -> 0;
    };
  }

  /** A worker gave it back. */
  public History returned(Outcome.Returned returned) {
    History reached = reached(returned.tokens());
    if (returned.tokens() == 0) {
      reached = reached.with(new Scans(scans.from(), scans.failed(), scans.empty() + 1));
    }
    return returned.reason() == Outcome.ReturnReason.EVICTED
        ? new History(
            attempts,
            reached.failures,
            reached.tokens,
            firstReplyOffset,
            leasedAtMillis,
            past,
            evictions + 1,
            reached.scans)
        : reached;
  }

  /** As dead letters tell it. */
  public AttemptHistory forDeadLetter() {
    return new AttemptHistory(attempts, tokens, past);
  }
}
