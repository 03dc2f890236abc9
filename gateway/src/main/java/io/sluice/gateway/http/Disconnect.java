package io.sluice.gateway.http;

import io.micronaut.http.HttpRequest;
import io.micronaut.http.server.netty.NettyHttpRequest;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelFutureListener;
import io.netty.handler.codec.http2.Http2CodecUtil;
import io.netty.handler.codec.http2.Http2ConnectionHandler;
import io.netty.handler.codec.http2.HttpConversionUtil.ExtensionHeaderNames;

/** Watches whether a client closes its connection, or resets its stream. Thread-safe. */
public final class Disconnect implements AutoCloseable {
  private final Channel channel;
  private final Runnable action;
  private final ChannelFutureListener listener = (ChannelFuture _) -> left();
  private volatile boolean isClosed;

  private Disconnect(Channel channel, Runnable action) {
    this.channel = channel;
    this.action = action;
  }

  /**
   * Runs an action when the client of a request leaves, until this is closed.
   *
   * @param action runs on a virtual thread
   */
  public static Disconnect watch(HttpRequest<?> request, Runnable action) {
    NettyHttpRequest<?> http = (NettyHttpRequest<?>) request;
    Channel channel = http.getChannelHandlerContext().channel();
    Disconnect disconnect = new Disconnect(channel, action);
    if (channel.pipeline().get(Http2ConnectionHandler.class) == null) {
      channel.closeFuture().addListener(disconnect.listener);
    } else {
      int stream = streamId(http);
      channel.eventLoop().execute(() -> disconnect.watch(stream));
    }
    return disconnect;
  }

  /** Only a request that upgraded its connection to HTTP/2 has no header with its stream. */
  private static int streamId(NettyHttpRequest<?> http) {
    return http.getNativeRequest()
        .headers()
        .getInt(ExtensionHeaderNames.STREAM_ID.text(), Http2CodecUtil.HTTP_UPGRADE_STREAM_ID);
  }

  /** A stream ends with its connection, too. */
  private void watch(int streamId) {
    StreamEnds.of(channel).ifPresent(ends -> ends.whenEnded(streamId, this::left));
  }

  private void left() {
    if (!isClosed) {
      Thread.ofVirtual().name("sluice-disconnect").start(action);
    }
  }

  @Override
  public void close() {
    isClosed = true;
    channel.closeFuture().removeListener(listener);
  }
}
