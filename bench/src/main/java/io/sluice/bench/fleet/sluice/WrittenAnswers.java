package io.sluice.bench.fleet.sluice;

import java.util.HashMap;
import java.util.Map;

/**
 * What the reply log has of the answers whose attempts have ended early: the number of tokens, from
 * which the next attempt continues. Not thread-safe.
 */
final class WrittenAnswers {
  private final Map<Integer, Integer> tokens = new HashMap<>();

  /** An attempt has ended with a part of the answer, which may be empty. */
  void ended(int request, int tokensOfAnswer) {
    tokens.put(request, tokensOfAnswer);
  }

  /** Returns whether an attempt at the request has ended early. */
  boolean hasEndedAttempt(int request) {
    return tokens.containsKey(request);
  }

  /** Returns how many tokens of the answer earlier attempts have written. */
  int tokens(int request) {
    return tokens.getOrDefault(request, 0);
  }
}
