package io.sluice.worker.engine.http;

import io.netty.channel.ChannelDuplexHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelPromise;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpResponse;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpStatusClass;
import io.netty.handler.codec.http.LastHttpContent;
import io.netty.util.ReferenceCountUtil;
import java.nio.channels.ClosedChannelException;
import org.jspecify.annotations.Nullable;

/** Reports to the closer which exchange begins and ends on its channel. Runs on the event loop. */
final class ExchangeTracker extends ChannelDuplexHandler {
  private final ConnectionCloser closer;
  private @Nullable String current;
  private boolean isInterim;

  ExchangeTracker(ConnectionCloser closer) {
    this.closer = closer;
  }

  @Override
  public void write(ChannelHandlerContext context, Object message, ChannelPromise promise)
      throws Exception {
    if (message instanceof HttpRequest request) {
      String key = request.headers().get(ConnectionCloser.EXCHANGE_HEADER);
      request.headers().remove(ConnectionCloser.EXCHANGE_HEADER);
      if (key != null && !closer.begin(key, context.channel())) {
        ReferenceCountUtil.release(message);
        promise.tryFailure(new ClosedChannelException());
        var _ = context.close();
        return;
      }
      current = key;
    }
    super.write(context, message, promise);
  }

  @Override
  public void channelRead(ChannelHandlerContext context, Object message) throws Exception {
    if (message instanceof HttpResponse response) {
      isInterim = isInterim(response.status());
    }
    if (message instanceof LastHttpContent && !isInterim) {
      finish();
    }
    super.channelRead(context, message);
  }

  @Override
  public void channelInactive(ChannelHandlerContext context) throws Exception {
    finish();
    super.channelInactive(context);
  }

  /** The codec ends such a response too, but the exchange's own response is still to come. */
  private static boolean isInterim(HttpResponseStatus status) {
    return status.codeClass() == HttpStatusClass.INFORMATIONAL
        && !status.equals(HttpResponseStatus.SWITCHING_PROTOCOLS);
  }

  private void finish() {
    String key = current;
    current = null;
    if (key != null) {
      closer.finish(key);
    }
  }
}
