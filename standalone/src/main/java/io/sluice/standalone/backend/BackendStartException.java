package io.sluice.standalone.backend;

/** An embedded backend could not start; the message says which, why, and what to do about it. */
public final class BackendStartException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  public BackendStartException(String message) {
    super(message);
  }

  public BackendStartException(String message, Throwable cause) {
    super(message, cause);
  }
}
