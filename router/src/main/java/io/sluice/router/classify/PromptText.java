package io.sluice.router.classify;

import java.util.List;

/** The texts of a prompt, in order. Token ids and images are left out. */
record PromptText(List<String> texts) {

  /** Returns the number of words, counted up to {@code most}. */
  int words(int most) {
    int words = 0;
    for (String text : texts) {
      boolean inWord = false;
      for (int i = 0; i < text.length() && words < most; i++) {
        boolean isSpace = Character.isWhitespace(text.charAt(i));
        words += !isSpace && !inWord ? 1 : 0;
        inWord = !isSpace;
      }
    }
    return words;
  }

  boolean contains(String part) {
    return texts.stream().anyMatch(text -> text.contains(part));
  }

  /**
   * Returns the starts of the first and the last text: the instructions, and the current question.
   */
  List<String> beginnings(int characters) {
    return switch (texts.size()) {
      case 0 -> List.of();
      case 1 -> List.of(begin(texts.getFirst(), characters));
      default -> List.of(begin(texts.getFirst(), characters), begin(texts.getLast(), characters));
    };
  }

  private static String begin(String text, int characters) {
    return text.substring(0, Math.min(characters, text.length()));
  }
}
