package io.sluice.config;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * A text table: rows in columns that are as wide as their widest cell, with lines of other text
 * between them. It contains no control characters. Not thread-safe.
 */
public final class TextTable {
  private static final String GAP = "  ";

  private final List<Column> columns = new ArrayList<>();
  private final List<Supplier<String>> lines = new ArrayList<>();

  private record Column(String heading, boolean isRight, int width) {
    Column widened(String cell) {
      return new Column(heading, isRight, Math.max(width, cell.length()));
    }

    String padded(String cell) {
      String space = " ".repeat(width - cell.length());
      return isRight ? space + cell : cell + space;
    }
  }

  /** Adds left-aligned columns with these headings, for text. */
  public TextTable left(String... headings) {
    return columns(false, headings);
  }

  /** Adds right-aligned columns with these headings, for numbers. */
  public TextTable right(String... headings) {
    return columns(true, headings);
  }

  private TextTable columns(boolean isRight, String... headings) {
    for (String heading : headings) {
      String text = PlainText.line(heading);
      columns.add(new Column(text, isRight, text.length()));
    }
    return this;
  }

  /**
   * Adds a row.
   *
   * @throws IllegalArgumentException if it does not have a cell for each column
   */
  public TextTable row(Object... cells) {
    if (cells.length != columns.size()) {
      throw new IllegalArgumentException(
          "%d cells for %d columns".formatted(cells.length, columns.size()));
    }
    List<String> texts = Stream.of(cells).map(String::valueOf).map(PlainText::line).toList();
    for (int at = 0; at < texts.size(); at++) {
      columns.set(at, columns.get(at).widened(texts.get(at)));
    }
    lines.add(() -> inColumns(texts));
    return this;
  }

  /** Adds a row whose first cell is its name. */
  public TextTable row(String name, Stream<String> others) {
    return row(Stream.concat(Stream.of(name), others).toArray());
  }

  /** Adds a line of text that is not divided into columns. */
  public TextTable line(String line) {
    String text = PlainText.line(line);
    lines.add(() -> text);
    return this;
  }

  private String inColumns(List<String> cells) {
    StringBuilder line = new StringBuilder();
    for (int at = 0; at < cells.size(); at++) {
      line.append(at == 0 ? "" : GAP).append(columns.get(at).padded(cells.get(at)));
    }
    return line.toString();
  }

  /** Returns the headings, if there are any, and the lines, each with its line end. */
  @Override
  public String toString() {
    List<String> headings = columns.stream().map(Column::heading).toList();
    Stream<String> first =
        headings.stream().allMatch(String::isBlank) ? Stream.of() : Stream.of(inColumns(headings));
    return Stream.concat(first, lines.stream().map(Supplier::get))
        .map(line -> line.stripTrailing() + System.lineSeparator())
        .collect(Collectors.joining());
  }
}
