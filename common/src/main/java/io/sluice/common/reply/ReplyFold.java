package io.sluice.common.reply;

/**
 * The reading rule: folds one request's reply records, in offset order, into its token stream. The
 * log's order is the fence: whoever folds the same records comes to the same stream, whatever
 * zombies and repeats have written between.
 *
 * <ol>
 *   <li>A record of a higher attempt takes over: its lease becomes the current one.
 *   <li>A record of a lower attempt, or of the same attempt under another lease, is ignored.
 *   <li>A claim keeps the tokens so far (resume) or discards them (restart).
 *   <li>Tokens (or a final) whose index is not the number of tokens held leave a gap: they, and
 *       what follows under that lease, are ignored.
 *   <li>A final or an error under the current lease ends the request.
 *   <li>A fold that began in the middle and meets such a gap before it held anything is truncated:
 *       it never guesses. So is one that meets output of a later attempt whose claim it has not
 *       seen: every attempt after the first begins with a claim, so what it holds is a zombie's.
 * </ol>
 *
 * <p>Immutable; one value per request.
 *
 * @param attempt the current attempt; 0 before the first record
 * @param lease the current lease; empty before the first record
 * @param tokens how many output tokens are held
 * @param anchored whether the fold is known to hold the stream from its first token
 */
public record ReplyFold(int attempt, String lease, int tokens, boolean anchored, Phase phase) {

  /** Where a fold stands. */
  public enum Phase {
    READING,
    /** The current lease left a gap; only a higher attempt can go on. */
    GAP,
    ENDED,
    TRUNCATED
  }

  /** What a record did to the stream. */
  public sealed interface Verdict {
    /** The record's tokens are the next ones. */
    record Appended(int index, int count) implements Verdict {}

    /** Another attempt goes on after the tokens held. */
    record Resumed(int attempt, int tokensKept) implements Verdict {}

    /** Another attempt begins again; what was read before is void. */
    record Restarted(int attempt, int tokensDiscarded) implements Verdict {}

    /** The stream is over; the record says how. */
    record Ended(ReplyKind kind) implements Verdict {}

    /** The answer to this repeated request is elsewhere; the record says where. */
    record Pointer() implements Verdict {}

    /** The record does not count. */
    record Ignored() implements Verdict {}

    /** The stream's beginning is not in what was read. */
    record Truncated() implements Verdict {}
  }

  /** The fold after a record, and what that record did. */
  public record Step(ReplyFold fold, Verdict verdict) {}

  /** A fold whose reader has seen the partition since before the request was sent. */
  public static ReplyFold fromStart() {
    return new ReplyFold(0, "", 0, true, Phase.READING);
  }

  /** A fold whose reader may have begun after the stream's first record. */
  public static ReplyFold fromAnywhere() {
    return new ReplyFold(0, "", 0, false, Phase.READING);
  }

  /** Whether nothing that follows can count. */
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

  /** With nothing held and nothing left out, it makes no difference that the claim is missing. */
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
