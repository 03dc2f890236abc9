package io.sluice.simulator.openai.request;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.List;

/**
 * Checks a completion prompt that is not a string: it must be a list of token ids, of such lists,
 * or of strings. The error of any other prompt lists what it lacks for each of these forms.
 */
final class PromptForm {

  private static final String PROMPT = "body.prompt";

  private PromptForm() {}

  /** Rejects a prompt that is not a list of one kind. */
  static void check(JsonNode prompt) {
    if (!prompt.isArray()) {
      throw ApiError.validation(
          noList(PROMPT, prompt),
          noList(PROMPT, prompt),
          Fields.noText(PROMPT, prompt),
          noList(PROMPT, prompt));
    }
    if (prompt.isEmpty()) {
      throw ApiError.badRequest("You must pass at least one prompt");
    }
    if (!allIds(prompt) && !all(prompt, JsonNode::isTextual) && !all(prompt, PromptForm::allIds)) {
      throw ApiError.validation(violations(prompt).toArray(Violation[]::new));
    }
  }

  private static boolean allIds(JsonNode list) {
    return list.isArray() && all(list, item -> item.isInt() && item.intValue() >= 0);
  }

  private static boolean all(JsonNode list, java.util.function.Predicate<JsonNode> kind) {
    for (JsonNode item : list) {
      if (!kind.test(item)) {
        return false;
      }
    }
    return true;
  }

  private static List<Violation> violations(JsonNode prompt) {
    List<Violation> asIds = new ArrayList<>();
    List<Violation> asLists = new ArrayList<>();
    List<Violation> asTexts = new ArrayList<>();
    for (int i = 0; i < prompt.size(); i++) {
      JsonNode item = prompt.get(i);
      String at = PROMPT + "." + i;
      if (item.isTextual()) {
        asIds.add(
            Violation.of(
                "int_parsing",
                at,
                "Input should be a valid integer, unable to parse string as an integer",
                item));
      } else if (item.isInt() && item.intValue() < 0) {
        asIds.add(Violation.below(at, 0, item));
      } else if (!item.isInt()) {
        asIds.add(Violation.of("int_type", at, "Input should be a valid integer", item));
      }
      if (!item.isArray()) {
        asLists.add(noList(at, item));
      }
      if (!item.isTextual()) {
        asTexts.add(Fields.noText(at, item));
      }
    }
    List<Violation> all = new ArrayList<>(asIds);
    all.addAll(asLists);
    all.add(Fields.noText(PROMPT, prompt));
    all.addAll(asTexts);
    return all;
  }

  private static Violation noList(String location, JsonNode value) {
    return Violation.of("list_type", location, "Input should be a valid list", value);
  }
}
