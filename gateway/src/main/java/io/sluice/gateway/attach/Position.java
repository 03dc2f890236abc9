package io.sluice.gateway.attach;

import java.util.Comparator;
import java.util.HexFormat;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * A place in the answer to one request, after one of its items. It depends on the log alone, so
 * every gateway gives the same item the same position, also if retention has deleted what was
 * before. Its text is opaque to clients, and is ordered as the positions are.
 *
 * @param attempt the attempt of the last claim before the item; 0 if there was none
 * @param tokens the number of output tokens up to the item
 * @param step 1, 2, ... among the events of the same attempt with the same number of tokens
 * @param part 0, 1, ... among the items that one event became
 */
record Position(int attempt, int tokens, int step, int part) implements Comparable<Position> {
  /** Before the first item. No item has this position. */
  static final Position START = new Position(0, 0, 0, 0);

  private static final Comparator<Position> ORDER =
      Comparator.comparingInt(Position::attempt)
          .thenComparingInt(Position::tokens)
          .thenComparingInt(Position::step)
          .thenComparingInt(Position::part);

  private static final int DIGITS = 8;
  private static final Pattern TEXT = Pattern.compile("([0-7][0-9a-f]{7}){4}");
  private static final HexFormat HEX = HexFormat.of();

  /** Returns the position of another item of the same event. */
  Position part(int number) {
    return new Position(attempt, tokens, step, number);
  }

  /** Returns the text that clients send back. */
  String text() {
    return HEX.toHexDigits(attempt)
        + HEX.toHexDigits(tokens)
        + HEX.toHexDigits(step)
        + HEX.toHexDigits(part);
  }

  /** Reads a text; empty if it is not that of a position. */
  static Optional<Position> parse(String text) {
    return TEXT.matcher(text).matches()
        ? Optional.of(
            new Position(number(text, 0), number(text, 1), number(text, 2), number(text, 3)))
        : Optional.empty();
  }

  private static int number(String text, int field) {
    return HexFormat.fromHexDigits(text, field * DIGITS, (field + 1) * DIGITS);
  }

  @Override
  public int compareTo(Position other) {
    return ORDER.compare(this, other);
  }
}
