package io.sluice.common.reply;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Token ids in a header: decimal numbers, separated by commas. Varints in Base64 would not be
 * shorter for the two or three ids that most records hold, and would not be readable.
 */
public final class TokenIdText {
  private TokenIdText() {}

  /** Formats ids; empty if there are none. */
  public static Optional<String> write(List<Integer> ids) {
    if (ids.isEmpty()) {
      return Optional.empty();
    }
    var text = new StringBuilder(ids.size() * 7);
    for (int id : ids) {
      (text.isEmpty() ? text : text.append(',')).append(id);
    }
    return Optional.of(text.toString());
  }

  /** Parses ids; empty if one of them is not an id. */
  public static Optional<List<Integer>> read(String text) {
    List<Integer> ids = new ArrayList<>();
    try {
      for (String id : text.split(",", -1)) {
        ids.add(Integer.parseUnsignedInt(id));
      }
    } catch (NumberFormatException e) {
      return Optional.empty();
    }
    return ids.stream().allMatch(id -> id >= 0) ? Optional.of(List.copyOf(ids)) : Optional.empty();
  }
}
