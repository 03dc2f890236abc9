package io.sluice.producer.command;

/** A command cannot do its work; the message is one sentence with what to do about it. */
public final class CommandFailedException extends RuntimeException {
  CommandFailedException(String message) {
    super(message);
  }

  CommandFailedException(String message, Throwable cause) {
    super(message, cause);
  }
}
