package io.sluice.gateway.attach;

import java.util.List;
import java.util.stream.Collectors;

/**
 * Items that are sent together.
 *
 * @param next the position after the last of them
 * @param isUpToDate whether they are all that there is at the moment
 * @param isClosed whether the answer has ended with them
 */
record Batch(List<Item> items, Position next, boolean isUpToDate, boolean isClosed) {
  Batch {
    items = List.copyOf(items);
  }

  /** Returns whether there are no items. */
  boolean isEmpty() {
    return items.isEmpty();
  }

  /** Returns the items as a JSON array; their data must be JSON. */
  String json() {
    return items.stream().map(Item::data).collect(Collectors.joining(",", "[", "]"));
  }
}
