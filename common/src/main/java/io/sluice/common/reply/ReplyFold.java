package io.sluice.common.reply;

/**
 * The reading rule: folds the reply records of one request, in offset order, into its token stream.
 * The order of the log decides: every reader that folds the same records gets the same stream,
 * whatever stragglers and repeats are among them.
 *
 * <ol>
 *   <li>A record of a higher attempt takes over: its lease becomes the current one.
 *   <li>A record of a lower attempt, or of the same attempt under another lease, is ignored.
 *   <li>A claim keeps the tokens so far (resume) or discards them (restart).
 *   <li>Tokens, or a final, whose index differs from the number of tokens held leave a gap: they,
 *       and the records that follow under that lease, are ignored.
 *   <li>A final or an error under the current lease ends the request.
 *   <li>A fold that began in the middle of a stream and meets such a gap before it held anything is
 *       truncated; it never guesses. The same applies if it meets output of a later attempt whose
 *       claim it has not seen: every attempt after the first begins with a claim, so the tokens it
 *       holds came from an attempt that was taken over.
 * </ol>
 *
 * <p>Immutable; one value per request.
 *
 * @param attempt the current attempt; 0 before the first record
 * @param lease the current lease; empty before the first record
 * @param tokens the number of output tokens held
 * @param anchored whether the fold is known to hold the stream from its first token
 */
public record ReplyFold(int attempt, String lease, int tokens, boolean anchored, Phase phase) {

  /** The state of a fold. */
  public enum Phase {
    READING,
    /** The current lease left a gap. Only a higher attempt can continue. */
    GAP,
    ENDED,
    TRUNCATED
  }

  /** The effect of a record on the stream. */
  public sealed interface Verdict {
    /** The record's tokens are the next ones. */
    record Appended(int index, int count) implements Verdict {}

    /** Another attempt continues after the tokens held. */
    record Resumed(int attempt, int tokensKept) implements Verdict {}

    /** Another attempt begins again. The tokens read before are discarded. */
    record Restarted(int attempt, int tokensDiscarded) implements Verdict {}

    /** The stream has ended; the record tells how. */
    record Ended(ReplyKind kind) implements Verdict {}

    /** The answer to this repeated request is elsewhere; the record tells where. */
    record Pointer() implements Verdict {}

    /** The record has no effect. */
    record Ignored() implements Verdict {}

    /** The records read do not include the beginning of the stream. */
    record Truncated() implements Verdict {}
  }

  /** The fold after a record, and the effect of that record. */
  public record Step(ReplyFold fold, Verdict verdict) {}

  /** Returns a fold for a reader that has read the partition since before the request was sent. */
  public static ReplyFold fromStart() {
    return new ReplyFold(0, "", 0, true, Phase.READING);
  }

  /** Returns a fold for a reader that may have started after the stream's first record. */
  public static ReplyFold fromAnywhere() {
    return new ReplyFold(0, "", 0, false, Phase.READING);
  }

  /** Returns whether no further record can have an effect. */
  public boolean isOver() {
    return phase == Phase.ENDED || phase == Phase.TRUNCATED;
  }

  /** Folds the next record of this request. */
  public Step next(ReplyHeaders record) {
    if (record.kind() == ReplyKind.POINTER && attempt == 0) {
      return new Step(this, new Verdict.Pointer());
    }
    boolean takesOver = record.attempt() > attempt;
    boolean isCurrent = record.attempt() == attempt && record.lease().equals(lease);
    if (isOver() || !(takesOver || isCurrent) || (isCurrent && phase == Phase.GAP)) {
      return ignored();
    }
    if (takesOver && hasMissedTheClaimOf(record)) {
      return new Step(in(Phase.TRUNCATED), new Verdict.Truncated());
    }
    ReplyFold current =
        takesOver
            ? new ReplyFold(record.attempt(), record.lease(), tokens, anchored, Phase.READING)
            : this;
    return switch (record.kind()) {
      case CLAIM -> takesOver ? current.claimed(record) : ignored();
      case TOKENS -> current.appended(record);
      case FINAL -> current.ended(record);
      case ERROR -> new Step(current.in(Phase.ENDED), new Verdict.Ended(ReplyKind.ERROR));
      case POINTER -> ignored();
    };
  }

  /** If nothing is held and nothing was skipped, the missing claim makes no difference. */
  private boolean hasMissedTheClaimOf(ReplyHeaders record) {
    boolean isOutput = record.kind() == ReplyKind.TOKENS || record.kind() == ReplyKind.FINAL;
    return isOutput && attempt > 0 && (tokens > 0 || record.index() > 0);
  }

  private Step claimed(ReplyHeaders claim) {
    return switch (claim.mode()) {
      case RESUME -> new Step(this, new Verdict.Resumed(attempt, tokens));
      case RESTART ->
          new Step(
              new ReplyFold(attempt, lease, 0, true, Phase.READING),
              new Verdict.Restarted(attempt, tokens));
    };
  }

  private Step appended(ReplyHeaders record) {
    if (record.index() != tokens) {
      return gap();
    }
    return new Step(
        new ReplyFold(attempt, lease, tokens + record.count(), true, Phase.READING),
        new Verdict.Appended(record.index(), record.count()));
  }

  private Step ended(ReplyHeaders record) {
    if (record.index() != tokens) {
      return gap();
    }
    return new Step(in(Phase.ENDED), new Verdict.Ended(ReplyKind.FINAL));
  }

  private Step gap() {
    return anchored
        ? new Step(in(Phase.GAP), new Verdict.Ignored())
        : new Step(in(Phase.TRUNCATED), new Verdict.Truncated());
  }

  private Step ignored() {
    return new Step(this, new Verdict.Ignored());
  }

  private ReplyFold in(Phase next) {
    return new ReplyFold(attempt, lease, tokens, anchored, next);
  }
}
