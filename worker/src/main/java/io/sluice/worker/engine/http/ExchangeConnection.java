package io.sluice.worker.engine.http;

import io.netty.channel.Channel;
import org.jspecify.annotations.Nullable;

/**
 * The connection of one exchange. Attached and detached on the event loop; closed there too, so
 * that a close which comes just after the response's end hits no other request.
 */
final class ExchangeConnection {
  private @Nullable Channel channel;
  private boolean closed;

  synchronized boolean attach(Channel connection) {
    channel = connection;
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
