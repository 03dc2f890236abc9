package io.sluice.worker.reply;

/** A reply record is larger than its topic takes, now and whoever writes it. */
public final class ReplyTooLargeException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  private final int bytes;

  /**
   * A record that did not fit.
   *
   * @param bytes how large its value is
   */
  public ReplyTooLargeException(String topic, int bytes, Throwable cause) {
    super("a reply of %d bytes is more than topic %s takes".formatted(bytes, topic), cause);
    this.bytes = bytes;
  }

  /** How large the record's value is. */
  public int bytes() {
    return bytes;
  }
}
