package io.sluice.cli;

import java.io.Console;
import java.nio.charset.Charset;
import java.util.Optional;

/** The properties of the terminal, if there is one. */
public final class Terminal {
  private Terminal() {}

  /**
   * Returns whether both input and output are a terminal, so that prompts and progress can be
   * shown.
   */
  public static boolean isInteractive() {
    return console().map(Console::isTerminal).orElse(false);
  }

  /** Returns the charset of standard input. */
  public static Charset inputCharset() {
    return console().map(Console::charset).orElseGet(Charset::defaultCharset);
  }

  @SuppressWarnings("SystemConsoleNull") // since JDK 25, console() is null again without a terminal
  private static Optional<Console> console() {
    return Optional.ofNullable(System.console());
  }
}
