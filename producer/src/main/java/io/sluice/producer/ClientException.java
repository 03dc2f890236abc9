package io.sluice.producer;

/** The client itself cannot do what was asked; the message is one sentence for a person. */
public final class ClientException extends RuntimeException {

  /** What stands in the way. */
  public enum Kind {
    /** No broker answers. */
    UNREACHABLE,
    /** Kafka answers, but the pool's topics are not there. */
    NO_POOL,
    /** As many requests as allowed are in flight, and none ended in time. */
    BUSY,
    /** The client is closed. */
    CLOSED,
    /** Kafka refuses the client, or its configuration is wrong. */
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
