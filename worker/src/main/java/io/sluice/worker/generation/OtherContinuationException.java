package io.sluice.worker.generation;

import io.sluice.worker.resume.Continuation;

/** Ends a run that has published nothing: the answer has to be continued in another way. */
final class OtherContinuationException extends Exception {
  private static final long serialVersionUID = 1L;

  private final transient Continuation continuation;

  OtherContinuationException(Continuation continuation) {
    super("the answer has to be continued in another way", null, false, false);
    this.continuation = continuation;
  }

  Continuation continuation() {
    return continuation;
  }
}
