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
 * What happened to the attempts so far.
 *
 * @param attempts the number of attempts
 * @param failures how many of them failed in the engine since an attempt last added tokens
 * @param tokens the number of output tokens in the log, as last reported
 * @param firstReplyOffset the offset of the first reply record; empty until it is certain
 * @param leasedAtMillis when the last lease was given, epoch milliseconds
 * @param past the attempts that ended without an answer: all during which a worker died, and the
 *     latest others, {@link AttemptHistory#KEPT} in all
 * @param evictions how often workers evicted the request
 * @param scans what is known about reading its replies back
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

  /** Fields that an older router did not store are empty. */
  @SuppressWarnings("ConstantValue") // absent JSON fields arrive as null
  public History {
    leasedAtMillis = leasedAtMillis == null ? OptionalLong.empty() : leasedAtMillis;
    past = past == null ? List.of() : List.copyOf(past);
    scans = scans == null ? Scans.NONE : scans;
  }

  /**
   * What is known about reading back the output of earlier attempts.
   *
   * @param from a place before which there is no output; empty until a worker was asked
   * @param failed how often the read failed since an attempt last added tokens
   * @param empty how many attempts were handed back by workers that had made no token
   */
  public record Scans(Optional<ReplyStart> from, int failed, int empty) {
    static final Scans NONE = new Scans(Optional.empty(), 0, 0);

    /** Fields that an older router did not store are empty. */
    @SuppressWarnings("ConstantValue") // absent JSON fields arrive as null
    public Scans {
      from = from == null ? Optional.empty() : from;
    }
  }

  /** Creates a history without details about the attempts. */
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

  /** A lease with this attempt was given, by this router or by an earlier one. */
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
   * Sets the offset of an attempt's first reply record. Only that of the first attempt is certain
   * to be the request's first: a later attempt may follow records of a worker that died before it
   * reported them.
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

  /** An attempt that added tokens clears the failures before it. */
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

  /** Returns how many workers died during the request since it last gave a token. */
  public int deaths() {
    return dead().size();
  }

  /**
   * Returns the workers that died during the request since it last gave a token, the last one last.
   */
  public List<String> dead() {
    return past.stream()
        .filter(ended -> ended.end().reason() == Reason.DIED)
        .map(PastAttempt::worker)
        .toList();
  }

  /** The request gave a token, so no worker died because of it. */
  public History proven() {
    return deaths() == 0
        ? this
        : withPast(past.stream().map(ended -> judged(ended, Reason.LOST)).toList());
  }

  /** Corrects the reason of a lost attempt, once more is known about its worker. */
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

  /** The output in the log could not be read. */
  public History unreadable() {
    return with(new Scans(scans.from(), scans.failed() + 1, scans.empty()));
  }

  /** There is no output before this place. The first such statement counts. */
  public History from(ReplyStart start) {
    return scans.from().isPresent() ? this : newlyFrom(start);
  }

  /** There is no output before this place. This replaces earlier statements. */
  public History newlyFrom(ReplyStart start) {
    return with(new Scans(Optional.of(start), scans.failed(), scans.empty()));
  }

  /** Returns whether no attempt has left anything to continue from. */
  @JsonIgnore
  public boolean isBlank() {
    return scans.empty() == attempts && firstReplyOffset.isEmpty();
  }

  private History with(Scans newScans) {
    return new History(
        attempts, failures, tokens, firstReplyOffset, leasedAtMillis, past, evictions, newScans);
  }

  /**
   * A lease ended without an answer. This replaces an earlier statement about the end of the same
   * lease.
   */
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
      // The oldest with the lowest weight goes first.
      ended.remove(Collections.min(ended, Comparator.comparingInt(History::weight)));
    }
    return withPast(ended);
  }

  /**
   * Attempts during which a worker died, or may have, are kept longest, because they decide the
   * fate of the request.
   */
  private static int weight(PastAttempt ended) {
    return switch (ended.end().reason()) {
      case DIED -> 2;
      case LOST -> 1;
      default -> 0;
    };
  }

  /** A worker handed the request back. */
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

  /** Returns the form in which dead letters contain it. */
  public AttemptHistory forDeadLetter() {
    return new AttemptHistory(attempts, tokens, past);
  }
}
