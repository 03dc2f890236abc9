package io.sluice.standalone.backend;

/** An embedded backend that could not start. The message tells which one, why, and what to do. */
public final class BackendStartException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  public BackendStartException(String message) {
    super(message);
  }

  public BackendStartException(String message, Throwable cause) {
    super(message, cause);
  }
}
