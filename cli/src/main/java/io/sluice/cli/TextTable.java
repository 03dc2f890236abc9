package io.sluice.cli;

/** A table as text: rows in columns, between them lines of any other text. Not thread-safe. */
public final class TextTable {
  private final StringBuilder text = new StringBuilder();
  private final String row;

  /**
   * An empty table.
   *
   * @param row the format of a row, as of {@link String#format}: a width for each column, negative
   *     where it is aligned to the left, such as {@code "%-20s %8s"}
   */
  public TextTable(String row) {
    this.row = row;
  }

  /** Adds a row, or the heading. */
  public TextTable row(Object... cells) {
    return line(row.formatted(cells));
  }

  /** Adds a line that keeps to no column. */
  public TextTable line(String line) {
    text.append(line.stripTrailing()).append(System.lineSeparator());
    return this;
  }

  /** The lines, each with its end. */
  @Override
  public String toString() {
    return text.toString();
  }
}
