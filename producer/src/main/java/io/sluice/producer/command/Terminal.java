package io.sluice.producer.command;

import java.io.Console;
import java.nio.charset.Charset;
import java.util.Objects;

/** Whether a person sits there, and in which characters input comes. */
final class Terminal {
  private Terminal() {}

  /** Whether both input and output are a terminal, so that prompts and progress make sense. */
  static boolean isInteractive() {
    return console().isTerminal();
  }

  /** The characters in which standard input is written. */
  static Charset inputCharset() {
    return console().charset();
  }

  /** Present since JDK 22 even where there is no terminal. */
  private static Console console() {
    return Objects.requireNonNull(System.console());
  }
}
