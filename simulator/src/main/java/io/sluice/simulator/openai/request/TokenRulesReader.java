package io.sluice.simulator.openai.request;

import com.fasterxml.jackson.databind.JsonNode;
import io.sluice.simulator.text.TokenIds;
import io.sluice.simulator.text.TokenRules;
import io.sluice.simulator.text.Tokenizer;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;

/**
 * Reads {@code allowed_token_ids}, {@code bad_words} and {@code logit_bias}. Only the extreme
 * biases have an effect: -100 bans a token, and 100 restricts the output to the tokens that have
 * it.
 */
final class TokenRulesReader {

  private static final int EXTREME = 100;
  private static final Pattern ID = Pattern.compile("-?\\d{1,9}");

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
    List<String> words = body.strings("bad_words");
    if (words.contains("")) {
      throw ApiError.badRequest(
          "bad_words cannot contain an empty string. Got bad_words="
              + words.stream().map(PythonText::quoted).toList());
    }
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
    List<String> words = new ArrayList<>();
    bias.object()
        .fieldNames()
        .forEachRemaining(
            key -> {
              if (!ID.matcher(key).matches()) {
                words.add(PythonText.quoted(key));
              }
            });
    if (!words.isEmpty()) {
      throw ApiError.badValue(
          "logit_bias",
          words,
          "logit_bias contains key(s) that cannot be converted to integer token IDs: " + words);
    }
    for (Map.Entry<String, JsonNode> entry : bias.object().properties()) {
      int id = Integer.parseInt(entry.getKey());
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
      throw unknown("logit_bias", unknown);
    }
  }

  /** Checks that stop tokens are in the vocabulary. */
  static void checkStops(TokenIds ids) {
    List<Integer> unknown = new ArrayList<>();
    for (int i = 0; i < ids.size(); i++) {
      if (!exists(ids.get(i))) {
        unknown.add(ids.get(i));
      }
    }
    if (!unknown.isEmpty()) {
      throw unknown("stop_token_ids", unknown);
    }
  }

  private static ApiError unknown(String field, List<Integer> ids) {
    return ApiError.badValue(
            field,
            ids,
            "token_id(s) %s in %s contain out-of-vocab token ids. Vocabulary size: %s"
                .formatted(ids, field, Tokenizer.VOCABULARY_SIZE))
        .lazily();
  }

  private static boolean exists(int id) {
    return id >= 0 && id < Tokenizer.VOCABULARY_SIZE;
  }
}
