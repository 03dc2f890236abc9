package io.sluice.gateway.http;

/** What an {@link EventStream} consists of. Texts have no line breaks. */
public sealed interface Frame {
  /** Keeps a silent connection from being taken for dead. */
  Frame KEEP_ALIVE = new Comment("keep-alive");

  /** An event without a name. */
  record Data(String data) implements Frame {}

  /** A named event. */
  record Event(String name, String data) implements Frame {}

  /** A text that clients ignore. */
  record Comment(String text) implements Frame {}
}
