package io.sluice.producer.command;

import java.io.Console;
import java.nio.charset.Charset;
import org.jspecify.annotations.Nullable;

/** Whether a person sits there, and in which characters input comes. */
final class Terminal {
  private Terminal() {}

  /** Whether both input and output are a terminal, so that prompts and progress make sense. */
  static boolean isInteractive() {
    Console console = console();
    return console != null && console.isTerminal();
  }

  /** The characters in which standard input is written. */
  static Charset inputCharset() {
    Console console = console();
    return console == null ? Charset.defaultCharset() : console.charset();
  }

  @SuppressWarnings("SystemConsoleNull") // present in JDK 22 to 24 only, absent again in a pipe
  private static @Nullable Console console() {
    return System.console();
  }
}
