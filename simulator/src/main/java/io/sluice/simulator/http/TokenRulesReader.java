package io.sluice.simulator.http;

import com.fasterxml.jackson.databind.JsonNode;
import io.sluice.simulator.text.TokenIds;
import io.sluice.simulator.text.TokenRules;
import io.sluice.simulator.text.Tokenizer;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Reads {@code allowed_token_ids}, {@code bad_words} and {@code logit_bias}. Of a bias only the
 * extremes count: -100 bans a token, 100 makes it one of the only ones.
 */
final class TokenRulesReader {

  private static final int EXTREME = 100;

  private TokenRulesReader() {}

  static TokenRules read(Fields body) {
    Set<Integer> only = new HashSet<>();
    Set<Integer> banned = new HashSet<>();
    if (body.has("logit_bias")) {
      readBias(body.child("logit_bias"), only, banned);
    }
    Set<Integer> allowed = allowed(body);
    if (!allowed.isEmpty()) {
      only.retainAll(allowed);
    }
    List<String> words = body.strings("bad_words").stream().filter(w -> !w.isBlank()).toList();
    return new TokenRules(only.isEmpty() ? allowed : only, banned, words);
  }

  private static Set<Integer> allowed(Fields body) {
    if (!body.has("allowed_token_ids")) {
      return Set.of();
    }
    TokenIds ids = body.tokenIds("allowed_token_ids");
    if (ids.size() == 0) {
      throw ApiError.badValue("allowed_token_ids", "[]", "allowed_token_ids is not None and empty!")
          .lazily();
    }
    Set<Integer> allowed = new HashSet<>();
    List<Integer> unknown = new ArrayList<>();
    for (int i = 0; i < ids.size(); i++) {
      (exists(ids.get(i)) ? allowed : unknown).add(ids.get(i));
    }
    if (!unknown.isEmpty()) {
      throw ApiError.badValue(
              "allowed_token_ids", unknown, "allowed_token_ids contains out-of-vocab token id!")
          .lazily();
    }
    return allowed;
  }

  private static void readBias(Fields bias, Set<Integer> only, Set<Integer> banned) {
    List<Integer> unknown = new ArrayList<>();
    for (Map.Entry<String, JsonNode> entry : bias.object().properties()) {
      int id = tokenId(entry.getKey());
      double value = bias.number(entry.getKey(), 0);
      if (!exists(id)) {
        unknown.add(id);
      } else if (value >= EXTREME) {
        only.add(id);
      } else if (value <= -EXTREME) {
        banned.add(id);
      }
    }
    if (!unknown.isEmpty()) {
      throw ApiError.badValue(
              "logit_bias",
              unknown,
              "token_id(s) %s in logit_bias contain out-of-vocab token ids. Vocabulary size: %d"
                  .formatted(unknown, Tokenizer.VOCABULARY_SIZE))
          .lazily();
    }
  }

  private static int tokenId(String key) {
    try {
      return Integer.parseInt(key);
    } catch (NumberFormatException e) {
      throw ApiError.badValue(
          "logit_bias",
          key,
          "Found token_id `%s` in logit_bias but token_id must be an integer or string representing an integer"
              .formatted(key));
    }
  }

  private static boolean exists(int id) {
    return id >= 0 && id < Tokenizer.VOCABULARY_SIZE;
  }
}
