package io.sluice.worker.engine.http;

import io.micronaut.http.client.netty.NettyClientCustomizer;
import io.netty.channel.Channel;
import jakarta.inject.Singleton;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Knows which connection an exchange runs on, so that it can be closed: an engine stops generating
 * only when its client hangs up. The exchange's key travels in a request header that never leaves
 * the process. Thread-safe.
 */
@Singleton
public final class ConnectionCloser implements NettyClientCustomizer {
  static final String EXCHANGE_HEADER = "x-sluice-exchange";

  private final Map<String, ExchangeConnection> exchanges = new ConcurrentHashMap<>();
  private final AtomicLong keys = new AtomicLong();

  @Override
  public NettyClientCustomizer specializeForChannel(Channel channel, ChannelRole role) {
    return new NettyClientCustomizer() {
      @Override
      public void onStreamPipelineBuilt() {
        channel.pipeline().addLast(new ExchangeTracker(ConnectionCloser.this));
      }
    };
  }

  /** A new exchange, not yet on any connection. */
  ExchangeConnection open() {
    var exchange = new ExchangeConnection(Long.toString(keys.incrementAndGet()));
    exchanges.put(exchange.key(), exchange);
    return exchange;
  }

  /** Ends an exchange: closes its connection, or keeps it from getting one. */
  void close(String key) {
    ExchangeConnection connection = exchanges.remove(key);
    if (connection != null) {
      connection.close();
    }
  }

  /**
   * The exchange begins on a connection.
   *
   * @return whether it may; not if it was ended before
   */
  boolean begin(String key, Channel channel) {
    ExchangeConnection connection = exchanges.get(key);
    return connection != null && connection.attach(channel);
  }

  /** The exchange's response is whole: its connection is somebody else's from now on. */
  void finish(String key) {
    ExchangeConnection connection = exchanges.remove(key);
    if (connection != null) {
      connection.detach();
    }
  }

  /** How many exchanges are on their way. */
  int size() {
    return exchanges.size();
  }
}
