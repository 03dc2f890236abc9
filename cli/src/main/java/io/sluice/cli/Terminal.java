package io.sluice.cli;

import java.io.Console;
import java.nio.charset.Charset;
import java.util.Optional;

/** Whether a person sits there, and in which characters input comes. */
public final class Terminal {
  private Terminal() {}

  /** Whether both input and output are a terminal, so that prompts and progress make sense. */
  public static boolean isInteractive() {
    return console().map(Console::isTerminal).orElse(false);
  }

  /** The characters in which standard input is written. */
  public static Charset inputCharset() {
    return console().map(Console::charset).orElseGet(Charset::defaultCharset);
  }

  @SuppressWarnings("SystemConsoleNull") // JDK 25 has none again where there is no terminal
  private static Optional<Console> console() {
    return Optional.ofNullable(System.console());
  }
}
