package io.sluice.bench.gateway;

/** A server-sent event; parts that it does not have are empty. */
public record SseEvent(String id, String name, String data) {
  /** Returns all that is promised to be the same at every gateway. */
  String text() {
    return String.join("\n", id, name, data);
  }
}
