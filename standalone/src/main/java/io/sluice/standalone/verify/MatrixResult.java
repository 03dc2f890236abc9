package io.sluice.standalone.verify;

import io.sluice.common.protocol.ErrorKind;
import io.sluice.producer.reply.Answer;
import io.sluice.producer.reply.RequestFailedException;

/**
 * The result of one case, in detail.
 *
 * @param attempts the attempts of the interrupted answer; 0 if there is none
 */
record MatrixResult(String name, Verdict verdict, int attempts, String detail) {

  /** The result of a case. */
  enum Verdict {
    /** The interrupted answer equals the uninterrupted one. */
    SAME("same"),
    /** The answers are equal, and readers were told that the answer began again. */
    RESTARTED("same, restarted"),
    /** The answer ended before it could be cut. */
    NOT_CUT("not cut"),
    /** The engine does not support the request. */
    REFUSED("refused"),
    /**
     * There was no answer even without an interruption, although the engine did not reject the
     * request.
     */
    UNANSWERED("NO ANSWER"),
    /** The engine gives different answers even without an interruption. */
    UNSTABLE("not repeatable"),
    /** The answers differ. */
    DIFFERENT("DIFFERENT");

    private final String shown;

    Verdict(String shown) {
      this.shown = shown;
    }

    String shown() {
      return shown;
    }
  }

  /** The interrupted answer equals the uninterrupted one. */
  static MatrixResult same(MatrixCase asked, Answer cut) {
    int again =
        AnswerDifference.json(cut).at("/usage/completion_tokens_details/recomputed_tokens").asInt();
    Verdict whole = again > 0 ? Verdict.RESTARTED : Verdict.SAME;
    return new MatrixResult(
        asked.name(), cut.attempts() == 1 ? Verdict.NOT_CUT : whole, cut.attempts(), "");
  }

  /**
   * The answers differ.
   *
   * @param isRepeated whether the engine gives the same answer each time if nothing interrupts it
   */
  static MatrixResult different(
      MatrixCase asked, Answer cut, boolean isRepeated, String difference) {
    return new MatrixResult(
        asked.name(),
        isRepeated ? Verdict.DIFFERENT : Verdict.UNSTABLE,
        cut.attempts(),
        difference);
  }

  /** The interrupted answer did not arrive. */
  static MatrixResult missing(MatrixCase asked, String detail) {
    return new MatrixResult(asked.name(), Verdict.DIFFERENT, 0, detail);
  }

  /** The uninterrupted request ended with an error. */
  static MatrixResult unanswered(MatrixCase asked, RequestFailedException error) {
    return new MatrixResult(
        asked.name(), unanswered(error.failure().kind()), 0, String.valueOf(error.getMessage()));
  }

  /** Returns what an uninterrupted request that ended with an error says of its engine. */
  static Verdict unanswered(ErrorKind error) {
    return switch (error) {
      case INVALID_REQUEST, CONTEXT_LENGTH_EXCEEDED, ANSWER_TOO_LARGE, ENGINE_ERROR ->
          Verdict.REFUSED;
      default -> Verdict.UNANSWERED;
    };
  }
}
