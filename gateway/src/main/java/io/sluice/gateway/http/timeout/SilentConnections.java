package io.sluice.gateway.http.timeout;

import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.handler.codec.http2.Http2ConnectionHandler;
import java.time.Duration;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Closes a connection that sends no first request in time, and an HTTP/2 connection that has no
 * stream and is silent for minutes. HTTP/1.1 has {@link RequestTimeouts} after its first request.
 * Used by the event loop of its connection only.
 */
final class SilentConnections extends ChannelInboundHandlerAdapter {
  private static final Duration IDLE = Duration.ofMinutes(5);

  private final Duration firstRequest;
  private final Duration idle;
  private long heardNanos = System.nanoTime();
  private boolean isKnown;
  private @Nullable Future<?> check;

  SilentConnections(Duration firstRequest) {
    this(firstRequest, IDLE);
  }

  SilentConnections(Duration firstRequest, Duration idle) {
    this.firstRequest = firstRequest;
    this.idle = idle;
  }

  /** The connection has sent a first request. */
  void requestCame() {
    isKnown = true;
  }

  @Override
  public void handlerAdded(ChannelHandlerContext context) {
    checkIn(firstRequest, context);
  }

  @Override
  public void handlerRemoved(ChannelHandlerContext context) {
    if (check != null) {
      check.cancel(false);
    }
  }

  @Override
  public void channelRead(ChannelHandlerContext context, Object message) throws Exception {
    heardNanos = System.nanoTime();
    super.channelRead(context, message);
  }

  private void checkIn(Duration time, ChannelHandlerContext context) {
    check =
        context.executor().schedule(() -> check(context), time.toMillis(), TimeUnit.MILLISECONDS);
  }

  private void check(ChannelHandlerContext context) {
    Http2ConnectionHandler http2 = context.pipeline().get(Http2ConnectionHandler.class);
    if (http2 == null) {
      if (!isKnown) {
        var _ = context.close();
      }
      return;
    }
    boolean isFirst = http2.connection().remote().lastStreamCreated() == 0;
    boolean isSilent =
        http2.connection().numActiveStreams() == 0
            && System.nanoTime() - heardNanos >= idle.toNanos();
    if (isFirst || isSilent) {
      var _ = context.close();
    } else {
      checkIn(idle, context);
    }
  }
}
