package io.sluice.simulator.text;

import java.util.List;
import java.util.Set;

/**
 * The tokens that a request allows the model to choose.
 *
 * @param allowed the only allowed tokens; empty for all
 * @param banned the banned tokens
 * @param bannedWords the banned texts
 */
public record TokenRules(Set<Integer> allowed, Set<Integer> banned, List<String> bannedWords) {

  /** Allows everything. */
  public static final TokenRules NONE = new TokenRules(Set.of(), Set.of(), List.of());

  /** Copies the collections. */
  public TokenRules {
    allowed = Set.copyOf(allowed);
    banned = Set.copyOf(banned);
    bannedWords = List.copyOf(bannedWords);
  }

  boolean permit(Tokenizer tokenizer, String passage) {
    if (bannedWords.stream().anyMatch(passage::contains)) {
      return false;
    }
    if (banned.isEmpty()) {
      return true;
    }
    TokenIds ids = tokenizer.encodeOrdinary(passage);
    for (int i = 0; i < ids.size(); i++) {
      if (banned.contains(ids.get(i))) {
        return false;
      }
    }
    return true;
  }
}
