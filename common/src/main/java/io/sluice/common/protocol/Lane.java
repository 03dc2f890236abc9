package io.sluice.common.protocol;

/**
 * A class of requests by context length: prompt plus requested output, in tokens. Lanes are ordered
 * by that length alone.
 *
 * @param name as used in the topic's name, such as {@code 8k}
 * @param maxTokens the longest context of this lane, in tokens
 */
public record Lane(String name, int maxTokens) implements Comparable<Lane> {
  public Lane {
    if (!name.matches("[a-z0-9]{1,16}")) {
      throw new IllegalArgumentException(
          "lane name '" + name + "' must be 1 to 16 lower-case letters or digits");
    }
    if (maxTokens < 1) {
      throw new IllegalArgumentException("lane " + name + " must hold at least one token");
    }
  }

  /**
   * Parses {@code 8k} (8 x 1,024 tokens) or a plain number of tokens.
   *
   * @throws IllegalArgumentException if the text is neither
   */
  public static Lane parse(String text) {
    String name = text.strip();
    if (!name.matches("[1-9][0-9]{0,6}k?")) {
      throw new IllegalArgumentException(
          "lane '" + text + "' is not a size: write it like 8k or 8192");
    }
    long size = Long.parseLong(name.replace("k", ""));
    long tokens = name.endsWith("k") ? size * 1024 : size;
    if (tokens > Integer.MAX_VALUE) {
      throw new IllegalArgumentException(
          "lane '" + text + "' is too long: a context has at most 2097151k tokens");
    }
    return new Lane(name, (int) tokens);
  }

  @Override
  public int compareTo(Lane other) {
    return Integer.compare(maxTokens, other.maxTokens);
  }
}
