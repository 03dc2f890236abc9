package io.sluice.standalone.verify;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.Map;
import java.util.SortedSet;
import java.util.TreeSet;

/**
 * The keys of an answer at every level, such as {@code /choices/*}{@code /message/content}. The
 * items of a list stand together as {@code *}, and so do keys that are numbers: {@code
 * prompt_logprobs} has token ids as keys.
 */
final class AnswerKeys {
  private AnswerKeys() {}

  /** Returns the keys that have a value; clients read {@code null} as absent. */
  static SortedSet<String> of(JsonNode answer) {
    SortedSet<String> keys = new TreeSet<>();
    add(keys, "", answer);
    return keys;
  }

  private static void add(SortedSet<String> keys, String place, JsonNode value) {
    if (value.isNull()) {
      return;
    }
    if (!place.isEmpty()) {
      keys.add(place);
    }
    if (value.isArray()) {
      value.forEach(item -> add(keys, place + "/*", item));
    } else {
      for (Map.Entry<String, JsonNode> field : value.properties()) {
        boolean isNumber = field.getKey().matches("[0-9]+");
        add(keys, place + "/" + (isNumber ? "*" : field.getKey()), field.getValue());
      }
    }
  }
}
