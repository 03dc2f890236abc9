package io.sluice.worker.generation;

import io.sluice.common.protocol.ErrorKind;
import io.sluice.common.protocol.FailureCode;
import io.sluice.common.protocol.Outcome;
import io.sluice.worker.engine.EngineFailure;
import io.sluice.worker.reply.ReplyTooLargeException;

/** What the router is told of an attempt that failed. For one thread. */
record AttemptFailures(AssignedRequest request, ReplyWriter writer) {

  /** Its engine failed it; the caller has been told of a rejection. */
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
          throw new IllegalStateException(cancelled.message() + ", though nobody stopped it");
    };
  }

  /** It failed for another reason than its engine. */
  Outcome.Failed of(FailureCode code, String message) {
    return new Outcome.Failed(code, message, writer.acknowledged());
  }

  /** Its reply could not be written. */
  Outcome.Event ofLog() {
    return writer.tooLarge().map(this::tooLarge).orElseGet(this::notWritten);
  }

  /**
   * Whoever answers it, it stays too large. The router writes the error: what was sent after the
   * record that did not fit may have left a gap, behind which nothing of this lease counts.
   */
  private Outcome.Event tooLarge(ReplyTooLargeException reply) {
    return new Outcome.Rejected(
        ErrorKind.ANSWER_TOO_LARGE,
        0,
        "a reply of %d bytes is more than topic %s takes; lower max_tokens, top_logprobs or n, or have the answer streamed"
            .formatted(reply.bytes(), request.assignment().replyTo().topic()),
        false);
  }

  private Outcome.Event notWritten() {
    return of(
        FailureCode.REPLY_UNWRITABLE,
        "the reply could not be written to " + request.assignment().replyTo().topic());
  }
}
