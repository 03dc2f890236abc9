package io.sluice.worker.engine.http;

import io.micronaut.http.client.netty.NettyClientCustomizer;
import io.netty.channel.Channel;
import jakarta.inject.Singleton;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Knows the connection of each exchange, so that it can be closed. An engine stops generating only
 * when its client disconnects. The exchange's key is passed in a request header that is removed
 * before the request is sent. Thread-safe.
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

  /** Registers a new exchange, which has no connection yet. */
  ExchangeConnection open() {
    var exchange = new ExchangeConnection(Long.toString(keys.incrementAndGet()));
    exchanges.put(exchange.key(), exchange);
    return exchange;
  }

  /** Ends an exchange: closes its connection, or prevents it from getting one. */
  void close(String key) {
    ExchangeConnection connection = exchanges.remove(key);
    if (connection != null) {
      connection.close();
    }
  }

  /**
   * The exchange begins on a connection.
   *
   * @return whether it may begin; false if it was ended before
   */
  boolean begin(String key, Channel channel) {
    ExchangeConnection connection = exchanges.get(key);
    return connection != null && connection.attach(channel);
  }

  /** The response is complete; the connection may be reused by other exchanges. */
  void finish(String key) {
    ExchangeConnection connection = exchanges.remove(key);
    if (connection != null) {
      connection.detach();
    }
  }

  /** Returns the number of exchanges in flight. */
  int size() {
    return exchanges.size();
  }
}
