package io.sluice.cli;

/** A command cannot do its work; the message is one sentence with what to do about it. */
public final class CommandFailedException extends RuntimeException {
  public CommandFailedException(String message) {
    super(message);
  }

  public CommandFailedException(String message, Throwable cause) {
    super(message, cause);
  }
}
