package io.sluice.gateway.batch.record;

/** The log of batches cannot be read or written. */
public final class BatchLogException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  public BatchLogException(String message, Throwable cause) {
    super(message, cause);
  }
}
