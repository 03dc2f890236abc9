package io.sluice.standalone.pool;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.netty.bootstrap.Bootstrap;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioSocketChannel;
import io.netty.handler.codec.http2.DefaultHttp2DataFrame;
import io.netty.handler.codec.http2.DefaultHttp2Headers;
import io.netty.handler.codec.http2.DefaultHttp2HeadersFrame;
import io.netty.handler.codec.http2.DefaultHttp2ResetFrame;
import io.netty.handler.codec.http2.Http2DataFrame;
import io.netty.handler.codec.http2.Http2Error;
import io.netty.handler.codec.http2.Http2FrameCodecBuilder;
import io.netty.handler.codec.http2.Http2Headers;
import io.netty.handler.codec.http2.Http2HeadersFrame;
import io.netty.handler.codec.http2.Http2MultiplexHandler;
import io.netty.handler.codec.http2.Http2ResetFrame;
import io.netty.handler.codec.http2.Http2Settings;
import io.netty.handler.codec.http2.Http2StreamChannel;
import io.netty.handler.codec.http2.Http2StreamChannelBootstrap;
import io.netty.util.ReferenceCountUtil;
import java.io.IOException;
import java.util.Map;
import java.util.concurrent.CompletableFuture;

/** An HTTP/2 connection without TLS or upgrade, whose streams are reset one by one. */
final class Http2Client implements AutoCloseable {
  private final EventLoopGroup loop = new MultiThreadIoEventLoopGroup(1, NioIoHandler.newFactory());
  private final Channel connection;

  Http2Client(int port) throws InterruptedException {
    this(port, Http2Settings.defaultSettings());
  }

  /** Returns a client that reads nothing but the heads of responses. */
  static Http2Client withoutWindow(int port) throws InterruptedException {
    return new Http2Client(port, Http2Settings.defaultSettings().initialWindowSize(0));
  }

  private Http2Client(int port, Http2Settings settings) throws InterruptedException {
    ChannelInitializer<Channel> handlers =
        new ChannelInitializer<>() {
          @Override
          protected void initChannel(Channel channel) {
            channel
                .pipeline()
                .addLast(Http2FrameCodecBuilder.forClient().initialSettings(settings).build())
                .addLast(new Http2MultiplexHandler(new ChannelInboundHandlerAdapter()));
          }
        };
    connection =
        new Bootstrap()
            .group(loop)
            .channel(NioSocketChannel.class)
            .handler(handlers)
            .connect("127.0.0.1", port)
            .sync()
            .channel();
  }

  /** Sends a request. */
  Exchange post(String path, String body) throws InterruptedException {
    return post(path, body, Map.of());
  }

  /** Sends a request with more headers. */
  Exchange post(String path, String body, Map<String, String> headers) throws InterruptedException {
    Exchange exchange = begin(path, headers);
    exchange.send(body, true);
    return exchange;
  }

  /** Sends the head of a request. */
  Exchange begin(String path, Map<String, String> headers) throws InterruptedException {
    Response response = new Response();
    Http2StreamChannel stream =
        new Http2StreamChannelBootstrap(connection).handler(response).open().sync().getNow();
    Http2Headers head =
        new DefaultHttp2Headers()
            .method("POST")
            .scheme("http")
            .authority("localhost")
            .path(path)
            .add("content-type", "application/json");
    headers.forEach(head::add);
    stream.writeAndFlush(new DefaultHttp2HeadersFrame(head, false)).sync();
    return new Exchange(stream, response);
  }

  @Override
  public void close() {
    connection.close().syncUninterruptibly();
    loop.shutdownGracefully();
  }

  /** A request and its response. */
  static final class Exchange {
    private final Http2StreamChannel stream;
    private final Response response;

    Exchange(Http2StreamChannel stream, Response response) {
      this.stream = stream;
      this.response = response;
    }

    /** Sends a part of the request's body, if the stream is still there. */
    void send(String text, boolean isLast) throws InterruptedException {
      var data = new DefaultHttp2DataFrame(Unpooled.copiedBuffer(text, UTF_8), isLast);
      stream.writeAndFlush(data).await();
    }

    void reset() throws InterruptedException {
      stream.writeAndFlush(new DefaultHttp2ResetFrame(Http2Error.CANCEL)).sync();
    }

    /** Completes with the status when the response has begun. */
    CompletableFuture<Integer> status() {
      return response.status;
    }

    /** Completes with the response's body, or with an exception if the server ends it early. */
    CompletableFuture<String> body() {
      return response.body;
    }
  }

  private static final class Response extends ChannelInboundHandlerAdapter {
    private final CompletableFuture<Integer> status = new CompletableFuture<>();
    private final CompletableFuture<String> body = new CompletableFuture<>();
    private final StringBuilder text = new StringBuilder();

    @Override
    public void channelRead(ChannelHandlerContext context, Object message) {
      try {
        if (message instanceof Http2HeadersFrame head) {
          status.complete(Integer.valueOf(head.headers().status().toString()));
          endIf(head.isEndStream());
        } else if (message instanceof Http2DataFrame data) {
          text.append(data.content().toString(UTF_8));
          endIf(data.isEndStream());
        }
      } finally {
        ReferenceCountUtil.release(message);
      }
    }

    private void endIf(boolean isEnd) {
      if (isEnd) {
        body.complete(text.toString());
      }
    }

    @Override
    public void userEventTriggered(ChannelHandlerContext context, Object event) {
      if (event instanceof Http2ResetFrame reset) {
        fail("reset with code " + reset.errorCode());
      }
      ReferenceCountUtil.release(event);
    }

    @Override
    public void channelInactive(ChannelHandlerContext context) {
      fail("the stream is closed");
    }

    private void fail(String how) {
      IOException end = new IOException(how);
      status.completeExceptionally(end);
      body.completeExceptionally(end);
    }
  }
}
