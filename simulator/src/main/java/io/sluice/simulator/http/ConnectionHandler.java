package io.sluice.simulator.http;

import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.handler.codec.http.DefaultFullHttpResponse;
import io.netty.handler.codec.http.FullHttpRequest;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaderValues;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpVersion;
import io.netty.util.concurrent.Future;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One client connection. It answers requests one after the other.
 *
 * <p>It keeps reading while a response is in flight, so that it notices at once when the client
 * disconnects, whether the request is queued, streaming or waiting for a whole response. A
 * connection that is idle between requests is closed after a timeout, as in uvicorn.
 */
final class ConnectionHandler extends SimpleChannelInboundHandler<FullHttpRequest> {

  private static final Logger log = LoggerFactory.getLogger(ConnectionHandler.class);

  /** The event that tells a connection that the server stops. */
  record Stop() {}

  private static final int MOST_PIPELINED = 16;

  private final Consumer<Exchange> handler;
  private final boolean requestIdHeaders;
  private final CrossOrigin crossOrigin;
  private final Duration idleTimeout;
  private final AnswerListener listener;
  private final Deque<FullHttpRequest> pipelined = new ArrayDeque<>();

  private boolean stopping;
  private @Nullable Exchange current;
  private @Nullable Future<?> idleClose;

  ConnectionHandler(
      Consumer<Exchange> handler,
      HttpOptions options,
      CrossOrigin crossOrigin,
      AnswerListener listener) {
    this.handler = handler;
    this.crossOrigin = crossOrigin;
    this.requestIdHeaders = options.requestIdHeaders();
    this.idleTimeout = options.idleTimeout();
    this.listener = listener;
  }

  @Override
  protected void channelRead0(ChannelHandlerContext ctx, FullHttpRequest request) {
    if (request.decoderResult().isFailure()) {
      refuse(ctx);
      return;
    }
    if (idleClose != null) {
      idleClose.cancel(false);
      idleClose = null;
    }
    if (current == null) {
      serve(ctx, request);
    } else if (pipelined.size() < MOST_PIPELINED) {
      pipelined.add(request.retain());
    } else {
      close(ctx);
    }
  }

  @Override
  public void channelInactive(ChannelHandlerContext ctx) {
    Exchange exchange = current;
    current = null;
    if (exchange != null) {
      exchange.gone();
    }
    pipelined.forEach(FullHttpRequest::release);
    pipelined.clear();
    ctx.fireChannelInactive();
  }

  @Override
  public void channelWritabilityChanged(ChannelHandlerContext ctx) {
    if (current != null && ctx.channel().isWritable()) {
      current.writable();
    }
    ctx.fireChannelWritabilityChanged();
  }

  /** Closes an idle connection when the server stops; a busy one closes after its answer. */
  @Override
  public void userEventTriggered(ChannelHandlerContext ctx, Object event) {
    if (event instanceof Stop) {
      stopping = true;
      if (current == null) {
        close(ctx);
      }
    }
    ctx.fireUserEventTriggered(event);
  }

  @Override
  public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
    log.debug("event=connection_failed remote={}", ctx.channel().remoteAddress(), cause);
    close(ctx);
  }

  private void serve(ChannelHandlerContext ctx, FullHttpRequest request) {
    Exchange exchange =
        new Exchange(
            ctx.channel(), request, requestIdHeaders, crossOrigin, listener, () -> ended(ctx));
    current = exchange;
    if (exchange.isPreflight()) {
      exchange.reply(
          crossOrigin.preflightStatus(),
          "text/plain; charset=utf-8",
          crossOrigin.preflightText().getBytes(StandardCharsets.US_ASCII));
      return;
    }
    handler.accept(exchange);
  }

  private void ended(ChannelHandlerContext ctx) {
    current = null;
    if (stopping) {
      close(ctx);
      return;
    }
    FullHttpRequest next = pipelined.poll();
    if (next == null) {
      idleClose =
          ctx.executor().schedule(() -> close(ctx), idleTimeout.toMillis(), TimeUnit.MILLISECONDS);
      return;
    }
    // Run later, so that a long pipeline does not grow the stack.
    ctx.executor()
        .execute(
            () -> {
              try {
                serve(ctx, next);
              } finally {
                next.release();
              }
            });
  }

  /** Sends uvicorn's answer to a request that is not valid HTTP or whose head is too large. */
  private static void refuse(ChannelHandlerContext ctx) {
    byte[] text = "Invalid HTTP request received.".getBytes(StandardCharsets.US_ASCII);
    DefaultFullHttpResponse response =
        new DefaultFullHttpResponse(
            HttpVersion.HTTP_1_1, HttpResponseStatus.BAD_REQUEST, Unpooled.wrappedBuffer(text));
    response
        .headers()
        .set(HttpHeaderNames.CONTENT_TYPE, "text/plain; charset=utf-8")
        .setInt(HttpHeaderNames.CONTENT_LENGTH, text.length)
        .set(HttpHeaderNames.CONNECTION, HttpHeaderValues.CLOSE);
    ctx.writeAndFlush(response).addListener(ChannelFutureListener.CLOSE);
  }

  private static void close(ChannelHandlerContext ctx) {
    var _ = ctx.close();
  }
}
