package io.sluice.gateway.http.timeout;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.handler.codec.http2.Http2CodecUtil;
import io.netty.handler.codec.http2.Http2ConnectionHandler;
import io.netty.handler.codec.http2.Http2Exception;
import io.sluice.gateway.http.OpenResponses;
import io.sluice.gateway.http.StreamEnds;
import java.time.Duration;

/**
 * Adds {@link StreamTimeouts} and {@link StreamEnds} to a connection that turns out to be one of
 * HTTP/2, and removes itself then. It is the first handler and passes on the bytes by which HTTP/2
 * is recognised alone, so that no stream begins before. Used by the event loop of its connection
 * only.
 */
final class Http2Watch extends ChannelInboundHandlerAdapter {
  private final Duration receive;
  private final OpenResponses responses;
  private int prefaceLeft = Http2CodecUtil.connectionPrefaceBuf().readableBytes();

  /**
   * @param receive how long a request may take to arrive
   * @param responses counts the connection's open responses
   */
  Http2Watch(Duration receive, OpenResponses responses) {
    this.receive = receive;
    this.responses = responses;
  }

  @Override
  public void channelRead(ChannelHandlerContext context, Object message) throws Exception {
    if (message instanceof ByteBuf bytes) {
      int first = Math.min(prefaceLeft, bytes.readableBytes());
      prefaceLeft -= first;
      if (first > 0) {
        pass(context, bytes.readRetainedSlice(first));
      }
    }
    pass(context, message);
  }

  private void pass(ChannelHandlerContext context, Object message) throws Http2Exception {
    context.fireChannelRead(message);
    Http2ConnectionHandler http2 = context.pipeline().get(Http2ConnectionHandler.class);
    if (http2 != null && !context.isRemoved()) {
      StreamTimeouts.watch(http2, context.pipeline().context(http2), receive, responses);
      StreamEnds.watch(http2.connection(), context.channel());
      context.pipeline().remove(this);
    }
  }
}
