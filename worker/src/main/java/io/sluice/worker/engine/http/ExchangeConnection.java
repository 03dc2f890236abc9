package io.sluice.worker.engine.http;

import io.netty.channel.Channel;
import org.jspecify.annotations.Nullable;

/**
 * The connection of one exchange. It is attached, detached and closed on the event loop, so that a
 * close just after the response's end cannot hit the connection's next request.
 */
final class ExchangeConnection {
  private final String key;
  private @Nullable Channel channel;
  private boolean closed;
  private boolean begun;

  ExchangeConnection(String key) {
    this.key = key;
  }

  /** Identifies the exchange within the process. */
  String key() {
    return key;
  }

  /** Returns whether the exchange has ever had a connection. */
  synchronized boolean hasBegun() {
    return begun;
  }

  synchronized boolean attach(Channel connection) {
    channel = connection;
    begun |= !closed;
    return !closed;
  }

  synchronized void detach() {
    channel = null;
  }

  synchronized void close() {
    closed = true;
    Channel connection = channel;
    if (connection != null) {
      connection.eventLoop().execute(() -> closeIfAttached(connection));
    }
  }

  private synchronized void closeIfAttached(Channel connection) {
    if (connection.equals(channel)) {
      var _ = connection.close();
    }
  }
}
