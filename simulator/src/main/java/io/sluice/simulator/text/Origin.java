package io.sluice.simulator.text;

import java.nio.charset.StandardCharsets;
import java.util.function.Predicate;

/**
 * The position at which the answer to a prompt began. This rule makes a continued generation
 * produce exactly what the uninterrupted one would have produced.
 *
 * <p>Let {@code G(P)} be the endless script for the prompt bytes {@code P}, and {@code S} the given
 * prompt. The origin of {@code S} is its <em>shortest</em> prefix {@code P} such that the rest of
 * {@code S} is a prefix of {@code G(P)}. The answer is {@code G(P)} without that prefix. The whole
 * of {@code S} always qualifies (with an empty rest), so that an origin exists.
 *
 * <p>Proof: let {@code P} be the origin of {@code S} and {@code S' = S + c}, where {@code c} is a
 * prefix of the answer to {@code S}. {@code P} qualifies for {@code S'}. Any shorter prefix {@code
 * Q} that qualifies for {@code S'} also qualifies for {@code S}, because the rest of {@code S}
 * after {@code Q} is a prefix of the rest of {@code S'}; that contradicts {@code P} being the
 * shortest. So {@code S'} has the origin {@code P}, and its answer is the answer to {@code S}
 * without {@code c}: at every byte, for text and token prompts, chat and completions, and after any
 * number of interruptions. A partial text from another source becomes part of a new origin.
 *
 * @param seed the seed of the script
 * @param afterSpace whether the script must begin with a space
 * @param offsetBytes the number of bytes of the script that the prompt already contains
 */
record Origin(long seed, boolean afterSpace, int offsetBytes) {

  /**
   * Finds the origin of a prompt in linear time.
   *
   * @param permitted the passages that scripts may contain; the same in every continuation
   */
  static Origin of(String model, byte[] prompt, Predicate<String> permitted) {
    long hash = modelHash(model);
    for (int length = 0; length < prompt.length; length++) {
      boolean afterSpace = needsSpace(prompt, length);
      if (mayStartAt(prompt, length, afterSpace)) {
        Origin candidate = new Origin(SplitMix.mix(hash), afterSpace, prompt.length - length);
        if (candidate.yields(prompt, length, permitted)) {
          return candidate;
        }
      }
      hash = extend(hash, prompt[length]);
    }
    return new Origin(SplitMix.mix(hash), needsSpace(prompt, prompt.length), 0);
  }

  /** Returns a new script for another choice of the same prompt ({@code n > 1}). */
  static Origin variant(String model, byte[] prompt, int choice) {
    long hash = extend(modelHash(model), prompt);
    return new Origin(SplitMix.mix(hash + choice), needsSpace(prompt, prompt.length), 0);
  }

  private boolean yields(byte[] prompt, int from, Predicate<String> permitted) {
    Script script = new Script(seed, afterSpace, permitted);
    int at = from;
    while (at < prompt.length) {
      for (byte expected : script.nextPassage()) {
        if (at < prompt.length && prompt[at++] != expected) {
          return false;
        }
      }
    }
    return true;
  }

  /**
   * Returns whether a script can begin here. Every script begins with a sentence, so that most
   * positions need no script.
   */
  private static boolean mayStartAt(byte[] prompt, int at, boolean afterSpace) {
    if (!afterSpace) {
      return isCapital(prompt[at]);
    }
    return prompt[at] == ' ' && (at + 1 == prompt.length || isCapital(prompt[at + 1]));
  }

  private static boolean isCapital(byte value) {
    return value >= 'A' && value <= 'Z';
  }

  private static boolean needsSpace(byte[] prompt, int length) {
    return length > 0 && prompt[length - 1] != ' ' && prompt[length - 1] != '\n';
  }

  static long modelHash(String model) {
    return SplitMix.mix(extend(0xCBF29CE484222325L, model.getBytes(StandardCharsets.UTF_8)));
  }

  /** FNV-1a. */
  static long extend(long hash, byte[] values) {
    long extended = hash;
    for (byte value : values) {
      extended = extend(extended, value);
    }
    return extended;
  }

  private static long extend(long hash, byte value) {
    return (hash ^ (value & 0xFF)) * 0x100000001B3L;
  }
}
