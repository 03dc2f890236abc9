package io.sluice.producer.client;

/** A request ended with an error instead of an answer. */
public final class RequestFailedException extends RuntimeException {
  private final transient ReplyEvent.Failed failure;

  RequestFailedException(ReplyEvent.Failed failure) {
    super(failure.kind().code() + ": " + failure.message());
    this.failure = failure;
  }

  /** The error, as the stream told it. */
  public ReplyEvent.Failed failure() {
    return failure;
  }
}
