package io.sluice.simulator.text;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/**
 * Turns generated tokens into text as they come: holds back the bytes of an unfinished character,
 * and as many characters as could still become part of a stop string. Not thread-safe.
 */
public final class Detokenizer {

  private final Tokenizer tokenizer;
  private final List<String> stops;
  private final boolean includeStop;
  private final int heldBackChars;

  private final StringBuilder text = new StringBuilder();
  private byte[] unfinished;
  private int emittedChars;

  /**
   * Creates a detokenizer.
   *
   * @param prompt the prompt's bytes; when they end inside a character, that character opens the
   *     text, because nobody can have seen it yet
   * @param stops strings that end the text
   * @param includeStop whether the stop string itself is part of the text
   */
  public Detokenizer(Tokenizer tokenizer, byte[] prompt, List<String> stops, boolean includeStop) {
    this.tokenizer = tokenizer;
    this.stops = stops;
    this.includeStop = includeStop;
    int longest = stops.stream().mapToInt(String::length).max().orElse(0);
    this.heldBackChars = includeStop ? 0 : Math.max(0, longest - 1);
    this.unfinished = Arrays.copyOfRange(prompt, completeLength(prompt), prompt.length);
  }

  /** Adds a token; returns the stop string that it completed, if any, and cuts the text there. */
  public Optional<String> add(int tokenId, boolean checkStops) {
    byte[] token = tokenizer.bytes(tokenId);
    byte[] bytes = Arrays.copyOf(unfinished, unfinished.length + token.length);
    System.arraycopy(token, 0, bytes, unfinished.length, token.length);
    int complete = completeLength(bytes);
    unfinished = Arrays.copyOfRange(bytes, complete, bytes.length);
    int searchFrom = text.length();
    text.append(new String(bytes, 0, complete, StandardCharsets.UTF_8));
    return checkStops ? stopFrom(searchFrom) : Optional.empty();
  }

  /** Returns the text that became certain since the last call. */
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
      int at = text.indexOf(stop, Math.max(emittedChars, searchFrom - stop.length() + 1));
      if (at >= 0) {
        text.setLength(includeStop ? at + stop.length() : at);
        unfinished = new byte[0];
        return Optional.of(stop);
      }
    }
    return Optional.empty();
  }

  /** Returns how many of the bytes form whole characters; the rest is the start of one. */
  private static int completeLength(byte[] bytes) {
    for (int back = 1; back <= Math.min(3, bytes.length); back++) {
      int value = bytes[bytes.length - back] & 0xFF;
      if (value >= 0xC0) {
        int needed = value >= 0xF0 ? 4 : value >= 0xE0 ? 3 : 2;
        return needed > back ? bytes.length - back : bytes.length;
      }
      if (value < 0x80) {
        return bytes.length;
      }
    }
    return bytes.length;
  }
}
