package io.sluice.producer.reply;

/** A request that ended with an error instead of an answer. */
public final class RequestFailedException extends RuntimeException {
  private final transient ReplyEvent.Failed failure;

  public RequestFailedException(ReplyEvent.Failed failure) {
    super(failure.kind().code() + ": " + failure.message());
    this.failure = failure;
  }

  /** Returns the error as the stream reported it. */
  public ReplyEvent.Failed failure() {
    return failure;
  }
}
