package io.sluice.gateway.http;

import io.micronaut.http.HttpRequest;
import io.micronaut.http.server.netty.NettyHttpRequest;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelFutureListener;

/** Watches whether a client closes its connection. Thread-safe. */
public final class Disconnect implements AutoCloseable {
  private final Channel channel;
  private final ChannelFutureListener listener;

  private Disconnect(Channel channel, ChannelFutureListener listener) {
    this.channel = channel;
    this.listener = listener;
  }

  /**
   * Runs an action when the client of a request closes its connection, until this is closed.
   *
   * @param action runs on a virtual thread
   */
  public static Disconnect watch(HttpRequest<?> request, Runnable action) {
    Channel channel = ((NettyHttpRequest<?>) request).getChannelHandlerContext().channel();
    ChannelFutureListener listener =
        (ChannelFuture _) -> Thread.ofVirtual().name("sluice-disconnect").start(action);
    channel.closeFuture().addListener(listener);
    return new Disconnect(channel, listener);
  }

  @Override
  public void close() {
    channel.closeFuture().removeListener(listener);
  }
}
