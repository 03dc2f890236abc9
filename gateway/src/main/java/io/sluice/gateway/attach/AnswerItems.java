package io.sluice.gateway.attach;

import io.sluice.producer.reply.ReplyEvent;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * The items that a reader needs of an answer's events: they are numbered, rendered, and those that
 * the reader has are left out. Not thread-safe.
 */
final class AnswerItems {
  private final Numbering numbering = new Numbering();
  private final Rendering rendering;
  private final Continuation continuation;

  /**
   * @param after the last position that the reader has; empty for a reader that has nothing
   */
  AnswerItems(Rendering rendering, Optional<Position> after) {
    this.rendering = rendering;
    this.continuation = new Continuation(after);
  }

  /**
   * Returns the items of the next event of the log.
   *
   * @throws UnreadableException if the answer has no item at the reader's position, or no longer
   */
  List<Item> of(ReplyEvent event) throws UnreadableException {
    List<Item> items = new ArrayList<>();
    for (Numbered numbered : numbering.of(event)) {
      for (Item item : rendering.of(numbered)) {
        if (continuation.passes(item.position())) {
          items.add(item);
        }
      }
    }
    if (event instanceof ReplyEvent.Terminal) {
      continuation.end();
    }
    return items;
  }

  /** Returns the position of the last item, or the reader's while it is not reached. */
  Position position() {
    return continuation.position();
  }
}
