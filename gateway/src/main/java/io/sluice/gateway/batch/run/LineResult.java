package io.sluice.gateway.batch.run;

import io.sluice.gateway.batch.record.Counts;
import io.sluice.producer.batch.LineErrorCode;
import io.sluice.producer.batch.ResultLine;
import io.sluice.producer.reply.Answer;
import java.util.Optional;

/**
 * The result of a line of the input.
 *
 * @param json a line of the output
 * @param isAnswer whether it belongs to the answers and not to the errors
 * @param counts what it adds
 */
@SuppressWarnings("ArrayRecordComponent") // passed on once, never compared
record LineResult(byte[] json, boolean isAnswer, Counts counts) {

  /**
   * @param body of the result, as JSON
   */
  static LineResult answered(String customId, Answer answer, String body) {
    return new LineResult(
        ResultLine.answered(customId, answer.requestId(), body).bytes(),
        true,
        Counts.answered(answer.usage()));
  }

  static LineResult failed(ResultLine line) {
    return new LineResult(line.bytes(), false, Counts.FAILED);
  }

  static LineResult expired(String requestId, String customId) {
    String message = "the batch expired before this request was answered";
    return unanswered(requestId, customId, LineErrorCode.BATCH_EXPIRED, message, Counts.EXPIRED);
  }

  static LineResult cancelled(String requestId, String customId) {
    String message = "the batch was cancelled before this request was answered";
    return unanswered(
        requestId, customId, LineErrorCode.BATCH_CANCELLED, message, Counts.CANCELLED);
  }

  /** The gateway's own code failed at the line. */
  static LineResult internalError(String requestId, String customId) {
    String message = "internal error of the gateway on this request; see its log";
    return unanswered(requestId, customId, LineErrorCode.INTERNAL_ERROR, message, Counts.FAILED);
  }

  private static LineResult unanswered(
      String requestId, String customId, LineErrorCode code, String message, Counts counts) {
    ResultLine line = ResultLine.withoutResponse(requestId, Optional.of(customId), code, message);
    return new LineResult(line.bytes(), false, counts);
  }
}
