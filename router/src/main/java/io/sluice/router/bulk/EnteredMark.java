package io.sluice.router.bulk;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

/**
 * The requests that have entered from a partition of the bulk topic beyond the first one that has
 * not. It is stored with the committed offset, so that the next feeder does not admit again what
 * was answered long ago and whose id is forgotten. Text of less than 4,096 characters, Kafka's
 * limit for commit metadata.
 *
 * @param position all records before it were known
 * @param slackBefore of these, those whose slack ended before this time have entered, epoch
 *     milliseconds
 * @param entered of these, those that have entered in addition, in order; if there are too many
 *     ranges, the first ones
 */
record EnteredMark(long position, long slackBefore, List<Range> entered) {
  static final EnteredMark NONE = new EnteredMark(0, Long.MIN_VALUE, List.of());

  /** A range is two numbers of at most 13 characters. */
  static final int MOST_RANGES = 130;

  private static final String VERSION = "1";
  private static final int RADIX = 36;

  /** Offsets from the first, inclusive, to the last, exclusive. */
  record Range(long from, long to) {}

  EnteredMark {
    entered = List.copyOf(entered);
  }

  /**
   * Returns whether a record has entered. There are few records between ranges, so they are checked
   * one by one.
   */
  boolean covers(long offset, long slackEndsMillis) {
    return offset < position
        && (slackEndsMillis < slackBefore
            || entered.stream().anyMatch(range -> range.from() <= offset && offset < range.to()));
  }

  String toText() {
    return entered.stream()
        .map(range -> text(range.from()) + "-" + text(range.to()))
        .collect(
            Collectors.joining(" ", VERSION + " " + text(position) + " " + slackBefore + " ", ""));
  }

  /** Parses a mark. Returns {@link #NONE} if there is none of this version. */
  static EnteredMark parse(String text) {
    String[] words = text.strip().split(" ", -1);
    if (words.length < 3 || !words[0].equals(VERSION)) {
      return NONE;
    }
    try {
      List<Range> entered = new ArrayList<>();
      for (int at = 3; at < words.length; at++) {
        int dash = words[at].indexOf('-');
        entered.add(
            new Range(number(words[at].substring(0, dash)), number(words[at].substring(dash + 1))));
      }
      return new EnteredMark(number(words[1]), Long.parseLong(words[2]), entered);
    } catch (NumberFormatException | IndexOutOfBoundsException e) {
      return NONE;
    }
  }

  private static String text(long number) {
    return Long.toString(number, RADIX);
  }

  private static long number(String text) {
    return Long.parseLong(text, RADIX);
  }
}
