package io.sluice.common.reply;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * Token ids as they stand in a header: decimal, separated by commas. A varint in Base64 would take
 * as much for the two or three ids that most records hold, and nobody could read it.
 */
public final class TokenIdText {
  private TokenIdText() {}

  /** Writes ids; empty if there are none. */
  public static Optional<String> write(List<Integer> ids) {
    return ids.isEmpty()
        ? Optional.empty()
        : Optional.of(ids.stream().map(String::valueOf).collect(Collectors.joining(",")));
  }

  /** Reads ids; empty if any of them is not one. */
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
