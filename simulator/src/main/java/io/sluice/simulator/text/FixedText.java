package io.sluice.simulator.text;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * Generates the tokens of a text that a grammar determines, such as a JSON value.
 *
 * <p>If the prompt already ends with a prefix of the text, only the rest is generated, so that an
 * interrupted answer can be continued at any byte. Not thread-safe.
 */
public final class FixedText {

  private final TokenIds ids;
  private final int filler;
  private final boolean ignoreEnd;
  private final int minTokens;
  private int next;

  /**
   * Creates the generation.
   *
   * @param prompt the bytes of the prompt
   * @param ignoreEnd whether white space follows the text forever instead of an end
   * @param minTokens the number of tokens before the end is allowed
   */
  public FixedText(
      Tokenizer tokenizer, String text, byte[] prompt, boolean ignoreEnd, int minTokens) {
    byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
    int done = overlap(prompt, bytes);
    this.ids = tokenizer.encodeBytes(Arrays.copyOfRange(bytes, done, bytes.length));
    this.filler = tokenizer.encode("\n").get(0);
    this.ignoreEnd = ignoreEnd;
    this.minTokens = minTokens;
  }

  /** Returns the next token id; {@link Tokenizer#END_OF_TEXT} after the text. */
  public int nextToken() {
    int at = next++;
    if (at < ids.size()) {
      return ids.get(at);
    }
    return ignoreEnd || at < minTokens ? filler : Tokenizer.END_OF_TEXT;
  }

  /** Returns the length of the longest prefix of the text that ends the prompt. */
  private static int overlap(byte[] prompt, byte[] text) {
    for (int length = Math.min(prompt.length, text.length); length > 0; length--) {
      int from = prompt.length - length;
      if (Arrays.equals(prompt, from, prompt.length, text, 0, length)) {
        return length;
      }
    }
    return 0;
  }
}
