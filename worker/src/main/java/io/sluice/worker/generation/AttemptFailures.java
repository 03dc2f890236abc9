package io.sluice.worker.generation;

import io.sluice.common.protocol.ErrorKind;
import io.sluice.common.protocol.FailureCode;
import io.sluice.common.protocol.Outcome;
import io.sluice.worker.engine.EngineFailure;
import io.sluice.worker.reply.ReplyTooLargeException;

/** The outcomes that report a failed attempt. For one thread. */
record AttemptFailures(AssignedRequest request, ReplyWriter writer) {

  /** The engine failed the attempt. In case of a rejection, the caller has been told already. */
  Outcome.Event ofEngine(EngineFailure failure) {
    return switch (failure) {
      case EngineFailure.Fault fault ->
          new Outcome.Failed(
              fault.code(),
              fault.status(),
              fault.message(),
              fault.retryAfterMillis(),
              writer.acknowledged());
      case EngineFailure.Rejected rejected ->
          new Outcome.Rejected(rejected.kind(), rejected.status(), rejected.message(), true);
      case EngineFailure.Cancelled cancelled ->
          throw new IllegalStateException(cancelled.message() + ", but not by this worker");
    };
  }

  /** The attempt failed for another reason than its engine. */
  Outcome.Failed of(FailureCode code, String message) {
    return new Outcome.Failed(code, message, writer.acknowledged());
  }

  /** The reply could not be written. */
  Outcome.Event ofLog() {
    return writer.tooLarge().map(this::tooLarge).orElseGet(this::notWritten);
  }

  /**
   * No other worker could write the answer either. The router writes the error: records sent after
   * the one that did not fit may have left a gap, and nothing of this lease counts after a gap.
   */
  private Outcome.Event tooLarge(ReplyTooLargeException reply) {
    return new Outcome.Rejected(
        ErrorKind.ANSWER_TOO_LARGE,
        0,
        "a reply of %d bytes is larger than topic %s allows; lower max_tokens, top_logprobs or n, or request a stream"
            .formatted(reply.bytes(), request.assignment().replyTo().topic()),
        false);
  }

  private Outcome.Event notWritten() {
    return of(
        FailureCode.REPLY_UNWRITABLE,
        "the reply could not be written to " + request.assignment().replyTo().topic());
  }
}
