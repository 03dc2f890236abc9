package io.sluice.producer;

/** An operation that the client cannot perform. The message is one sentence for a person. */
public final class ClientException extends RuntimeException {

  /** The cause. */
  public enum Kind {
    /** No broker answers. */
    UNREACHABLE,
    /** Kafka responds, but the topics of a pool do not exist. */
    NO_POOL,
    /** The maximum number of requests is in flight, and none ended in time. */
    BUSY,
    /** The client is closed. */
    CLOSED,
    /** Kafka rejects the client, or the client's configuration is invalid. */
    CONFIGURATION
  }

  private final Kind kind;

  public ClientException(Kind kind, String message) {
    super(message);
    this.kind = kind;
  }

  public ClientException(Kind kind, String message, Throwable cause) {
    super(message, cause);
    this.kind = kind;
  }

  public Kind kind() {
    return kind;
  }
}
