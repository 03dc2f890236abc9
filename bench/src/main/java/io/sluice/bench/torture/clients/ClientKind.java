package io.sluice.bench.torture.clients;

import io.sluice.bench.gateway.AnswerCursor;
import io.sluice.bench.gateway.LogCursor;
import io.sluice.bench.gateway.ResponseCursor;
import io.sluice.bench.gateway.StreamCursor;

/** The kinds of HTTP clients, by how they read their answer and continue at another gateway. */
enum ClientKind {
  /** A background response that is streamed; continues after a sequence number. */
  RESPONSE(4),
  /** A background response that is read as a chat stream; continues after an event's id. */
  STREAM(2),
  /** A background response that is read as a log by server-sent events. */
  LOG_SSE(2),
  /** A background response that is read as a log by long polls. */
  LOG_POLL(2),
  /** A streamed chat. If its gateway is lost, its answer is read as a chat stream. */
  CHAT(3);

  private final int weight;

  ClientKind(int weight) {
    this.weight = weight;
  }

  /** Returns its share of the clients. */
  int weight() {
    return weight;
  }

  boolean isBackground() {
    return this != CHAT;
  }

  /** Returns a cursor at the beginning of an answer. */
  AnswerCursor cursor(String requestId) {
    return switch (this) {
      case RESPONSE -> ResponseCursor.of("resp_" + requestId);
      case STREAM, CHAT -> new StreamCursor(requestId);
      case LOG_SSE -> new LogCursor(requestId, LogCursor.Live.SSE);
      case LOG_POLL -> new LogCursor(requestId, LogCursor.Live.LONG_POLL);
    };
  }
}
