package io.sluice.worker.reply;

/** A reply record is larger than its topic allows. Retrying, or another worker, cannot help. */
public final class ReplyTooLargeException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  private final int bytes;

  /**
   * A record that did not fit.
   *
   * @param bytes the size of its value
   */
  public ReplyTooLargeException(String topic, int bytes, Throwable cause) {
    super("a reply of %d bytes is larger than topic %s allows".formatted(bytes, topic), cause);
    this.bytes = bytes;
  }

  /** Returns the size of the record's value. */
  public int bytes() {
    return bytes;
  }
}
