package io.sluice.gateway.http.timeout;

import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpUtil;

/**
 * Leaves a request with a large body on HTTP/1.1, although its client asks to change to HTTP/2: the
 * server would have to hold the whole body before the change, and before it knows who sends it.
 * Java's client asks so with its first request, whatever that is.
 */
final class UpgradesOfBodies extends ChannelInboundHandlerAdapter {
  private final int maxBytes;

  /**
   * @param maxBytes the largest body that the server holds for a change
   */
  UpgradesOfBodies(int maxBytes) {
    this.maxBytes = maxBytes;
  }

  @Override
  public void channelRead(ChannelHandlerContext context, Object message) throws Exception {
    if (message instanceof HttpRequest request
        && request.decoderResult().isSuccess()
        && request.headers().contains(HttpHeaderNames.UPGRADE)
        && (HttpUtil.isTransferEncodingChunked(request)
            || HttpUtil.getContentLength(request, 0L) > maxBytes)) {
      request.headers().remove(HttpHeaderNames.UPGRADE);
    }
    super.channelRead(context, message);
  }
}
