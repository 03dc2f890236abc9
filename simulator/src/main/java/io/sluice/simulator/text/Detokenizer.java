package io.sluice.simulator.text;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/**
 * Turns generated tokens into text incrementally, as vLLM does. A token that ends inside a
 * character is held back completely, and so are the characters that could still become part of a
 * stop string. Not thread-safe.
 */
public final class Detokenizer {

  private static final int LONGEST_CHARACTER_BYTES = 4;

  private final Tokenizer tokenizer;
  private final List<String> stops;
  private final boolean includeStop;
  private final int heldBackChars;

  private final StringBuilder text = new StringBuilder();

  /** The bytes of the last tokens, as long as they end inside a character. */
  private byte[] unfinished;

  private int emittedChars;

  /**
   * Creates a detokenizer.
   *
   * @param prompt the prompt; if it ends inside a character, the tokens of that character start the
   *     text, because no client can have seen them yet
   * @param stops the strings that end the text
   * @param includeStop whether the stop string is part of the text
   */
  public Detokenizer(
      Tokenizer tokenizer, TokenIds prompt, List<String> stops, boolean includeStop) {
    this.tokenizer = tokenizer;
    this.stops = stops;
    this.includeStop = includeStop;
    int longest = stops.stream().mapToInt(String::length).max().orElse(0);
    this.heldBackChars = includeStop ? 0 : Math.max(0, longest - 1);
    this.unfinished = unfinishedEnd(tokenizer, prompt);
  }

  /**
   * Adds a token. Returns the stop string that it completed, if any, and truncates the text there.
   */
  public Optional<String> add(int tokenId, boolean checkStops) {
    byte[] token = tokenizer.bytes(tokenId);
    byte[] bytes = Arrays.copyOf(unfinished, unfinished.length + token.length);
    System.arraycopy(token, 0, bytes, unfinished.length, token.length);
    if (!isWhole(bytes)) {
      unfinished = bytes;
      return Optional.empty();
    }
    unfinished = new byte[0];
    int searchFrom = text.length();
    text.append(new String(bytes, StandardCharsets.UTF_8));
    return checkStops ? stopFrom(searchFrom) : Optional.empty();
  }

  /** Returns the text that became final since the last call. */
  public String take(boolean finished) {
    int end = finished ? text.length() : text.length() - heldBackChars;
    if (end > emittedChars && !finished && Character.isHighSurrogate(text.charAt(end - 1))) {
      end--;
    }
    if (end <= emittedChars) {
      return "";
    }
    String taken = text.substring(emittedChars, end);
    emittedChars = end;
    return taken;
  }

  private Optional<String> stopFrom(int searchFrom) {
    for (String stop : stops) {
      int at = text.indexOf(stop, Math.max(0, searchFrom - stop.length() + 1));
      if (at >= 0) {
        text.setLength(includeStop ? at + stop.length() : at);
        unfinished = new byte[0];
        return Optional.of(stop);
      }
    }
    return Optional.empty();
  }

  private static byte[] unfinishedEnd(Tokenizer tokenizer, TokenIds prompt) {
    byte[] end = new byte[0];
    for (int from = prompt.size(); from > 0; from--) {
      TokenIds before = prompt.first(from).last(LONGEST_CHARACTER_BYTES);
      if (isWhole(tokenizer.bytes(before))) {
        break;
      }
      end = tokenizer.bytes(prompt.last(prompt.size() - from + 1));
    }
    return end;
  }

  /** Returns whether the bytes end at a character boundary. */
  private static boolean isWhole(byte[] bytes) {
    for (int back = 1; back < Math.min(LONGEST_CHARACTER_BYTES, bytes.length + 1); back++) {
      int value = bytes[bytes.length - back] & 0xFF;
      if (value >= 0xC0) {
        int needed = value >= 0xF0 ? 4 : value >= 0xE0 ? 3 : 2;
        return needed <= back;
      }
      if (value < 0x80) {
        return true;
      }
    }
    return true;
  }
}
