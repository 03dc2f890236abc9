package io.sluice.cli;

import java.util.Locale;
import java.util.stream.Stream;

/** A text table: rows in columns, with lines of other text between them. Not thread-safe. */
public final class TextTable {
  private final StringBuilder text = new StringBuilder();
  private final String row;

  /**
   * Creates an empty table.
   *
   * @param row the format of a row for {@link String#format}: a width for each column, negative for
   *     left alignment, such as {@code "%-20s %8s"}; numbers are formatted alike in all locales
   */
  public TextTable(String row) {
    this.row = row;
  }

  /** Adds a row or a heading. */
  public TextTable row(Object... cells) {
    return line(String.format(Locale.ROOT, row, cells));
  }

  /** Adds a row or a heading whose first cell is its name. */
  public TextTable row(String name, Stream<String> others) {
    return row(Stream.concat(Stream.of(name), others).toArray());
  }

  /** Adds a line of text that is not divided into columns. */
  public TextTable line(String line) {
    text.append(line.stripTrailing()).append(System.lineSeparator());
    return this;
  }

  /** Returns the lines, each with its line end. */
  @Override
  public String toString() {
    return text.toString();
  }
}
