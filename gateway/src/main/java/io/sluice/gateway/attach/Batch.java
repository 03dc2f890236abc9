package io.sluice.gateway.attach;

import io.sluice.common.reply.Utf8Text;
import java.util.List;

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
  Utf8Text json() {
    int length = items.stream().mapToInt(item -> item.data().length() + 1).sum();
    byte[] array = new byte[Math.max(2, length + 1)];
    int at = 0;
    for (Item item : items) {
      array[at++] = ',';
      System.arraycopy(item.data().bytes(), 0, array, at, item.data().length());
      at += item.data().length();
    }
    array[0] = '[';
    array[array.length - 1] = ']';
    return Utf8Text.of(array);
  }
}
