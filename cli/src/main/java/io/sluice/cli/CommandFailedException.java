package io.sluice.cli;

/** A command that cannot do its work. The message is one sentence that tells what to do. */
public final class CommandFailedException extends RuntimeException {
  public CommandFailedException(String message) {
    super(message);
  }

  public CommandFailedException(String message, Throwable cause) {
    super(message, cause);
  }
}
