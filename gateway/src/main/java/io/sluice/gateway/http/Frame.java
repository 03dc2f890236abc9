package io.sluice.gateway.http;

import io.sluice.common.reply.Utf8Text;

/** What an {@link EventStream} consists of. Texts have no line breaks. */
public sealed interface Frame {
  /** Keeps a silent connection from being taken for dead. */
  Frame KEEP_ALIVE = new Comment("keep-alive");

  /** An event without a name. */
  record Data(Utf8Text data) implements Frame {
    /** Creates an event of a text that is not encoded yet. */
    public Data(String data) {
      this(Utf8Text.of(data));
    }
  }

  /** A named event. */
  record Event(String name, Utf8Text data) implements Frame {}

  /** A text that clients ignore. */
  record Comment(String text) implements Frame {}
}
