package io.sluice.worker.generation;

import io.sluice.common.protocol.ErrorKind;
import io.sluice.common.protocol.Outcome;
import io.sluice.worker.engine.EngineFailure;
import io.sluice.worker.reply.ReplyTooLargeException;
import java.util.OptionalLong;

/** What the router is told of an attempt that failed. For one thread. */
record AttemptFailures(AssignedRequest request, ReplyWriter writer) {
  private static final String UNWRITABLE = "reply_unwritable";

  /** Its engine failed. */
  Outcome.Failed ofEngine(EngineFailure failure) {
    return new Outcome.Failed(
        failure.status(),
        failure.code(),
        failure.message(),
        failure.recovery() != EngineFailure.Recovery.PERMANENT,
        failure.retryAfterMillis(),
        writer.acknowledged());
  }

  /** Its engine died with it. */
  Outcome.Failed ofDeadEngine(String message) {
    return new Outcome.Failed(
        0, Outcome.Failed.ENGINE_GONE, message, true, OptionalLong.empty(), writer.acknowledged());
  }

  /** Its reply could not be written. */
  Outcome.Failed ofLog() {
    return writer.tooLarge().map(this::tooLarge).orElseGet(this::notWritten);
  }

  /**
   * Whoever answers it, it stays too large. The router writes the error: what was sent after the
   * record that did not fit may have left a gap, behind which nothing of this lease counts.
   */
  private Outcome.Failed tooLarge(ReplyTooLargeException reply) {
    ErrorKind kind = ErrorKind.ANSWER_TOO_LARGE;
    return new Outcome.Failed(
        kind.status(),
        kind.code(),
        "a reply of %d bytes is more than topic %s takes; lower max_tokens, top_logprobs or n, or have the answer streamed"
            .formatted(reply.bytes(), request.assignment().replyTo().topic()),
        false,
        OptionalLong.empty(),
        writer.acknowledged());
  }

  private Outcome.Failed notWritten() {
    return new Outcome.Failed(
        0,
        UNWRITABLE,
        "the reply could not be written to " + request.assignment().replyTo().topic(),
        true,
        OptionalLong.empty(),
        writer.acknowledged());
  }
}
