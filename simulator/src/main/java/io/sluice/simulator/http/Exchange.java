package io.sluice.simulator.http;

import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFutureListener;
import io.netty.handler.codec.http.DefaultFullHttpResponse;
import io.netty.handler.codec.http.DefaultHttpContent;
import io.netty.handler.codec.http.DefaultHttpResponse;
import io.netty.handler.codec.http.FullHttpRequest;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaderValues;
import io.netty.handler.codec.http.HttpHeaders;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpUtil;
import io.netty.handler.codec.http.HttpVersion;
import io.netty.handler.codec.http.LastHttpContent;
import io.sluice.simulator.metrics.ServerMetrics;
import java.nio.charset.StandardCharsets;
import java.time.ZoneOffset;
import java.time.ZonedDateTime;
import java.time.format.DateTimeFormatter;
import java.util.Optional;

/**
 * One request and its response on a connection. Used on the connection's event loop only, except
 * for {@link #execute}.
 */
final class Exchange {

  private final Channel channel;
  private final HttpMethod method;
  private final String path;
  private final HttpHeaders headers;
  private final byte[] body;
  private final boolean keepAlive;
  private final ServerMetrics metrics;
  private final Runnable onEnd;
  private final long startNanos = System.nanoTime();

  private Runnable onGone = () -> {};
  private Runnable onWritable = () -> {};
  private boolean ended;
  private boolean counted;

  Exchange(Channel channel, FullHttpRequest request, ServerMetrics metrics, Runnable onEnd) {
    this.channel = channel;
    this.method = request.method();
    String uri = request.uri();
    int query = uri.indexOf('?');
    this.path = query < 0 ? uri : uri.substring(0, query);
    this.headers = request.headers().copy();
    this.body = new byte[request.content().readableBytes()];
    request.content().getBytes(request.content().readerIndex(), body);
    this.keepAlive = HttpUtil.isKeepAlive(request);
    this.metrics = metrics;
    this.onEnd = onEnd;
  }

  HttpMethod method() {
    return method;
  }

  String path() {
    return path;
  }

  byte[] body() {
    return body;
  }

  Optional<String> header(String name) {
    return Optional.ofNullable(headers.get(name));
  }

  /** Counts this exchange in the HTTP metrics when it ends. */
  void count() {
    counted = true;
  }

  /** Sends a whole response. */
  void reply(int status, String contentType, byte[] content) {
    DefaultFullHttpResponse response =
        new DefaultFullHttpResponse(
            HttpVersion.HTTP_1_1,
            HttpResponseStatus.valueOf(status),
            Unpooled.wrappedBuffer(content));
    describe(response.headers());
    if (!contentType.isEmpty()) {
      response.headers().set(HttpHeaderNames.CONTENT_TYPE, contentType);
    }
    response.headers().setInt(HttpHeaderNames.CONTENT_LENGTH, content.length);
    write(response);
    channel.flush();
    end(status, content.length);
  }

  void replyJson(int status, byte[] json) {
    reply(status, "application/json", json);
  }

  /** Sends the head of an event stream at once. */
  void openStream() {
    DefaultHttpResponse response =
        new DefaultHttpResponse(HttpVersion.HTTP_1_1, HttpResponseStatus.OK);
    describe(response.headers());
    response.headers().set(HttpHeaderNames.CONTENT_TYPE, "text/event-stream; charset=utf-8");
    response.headers().set(HttpHeaderNames.TRANSFER_ENCODING, HttpHeaderValues.CHUNKED);
    write(response);
    channel.flush();
  }

  /** Writes one event as one HTTP chunk; {@link #flush} sends it. */
  void event(byte[] json) {
    byte[] event = new byte[json.length + 8];
    System.arraycopy("data: ".getBytes(StandardCharsets.US_ASCII), 0, event, 0, 6);
    System.arraycopy(json, 0, event, 6, json.length);
    event[event.length - 2] = '\n';
    event[event.length - 1] = '\n';
    write(new DefaultHttpContent(Unpooled.wrappedBuffer(event)));
  }

  void flush() {
    channel.flush();
  }

  /** Sends the end marker and ends the stream. */
  void closeStream() {
    event("[DONE]".getBytes(StandardCharsets.US_ASCII));
    write(LastHttpContent.EMPTY_LAST_CONTENT);
    channel.flush();
    end(200, 0);
  }

  /** Closes the connection in the middle of things. */
  void hangUp() {
    channel.flush();
    var _ = channel.close();
  }

  boolean isWritable() {
    return channel.isWritable();
  }

  boolean isEnded() {
    return ended;
  }

  /** Runs something on the connection's event loop. Thread-safe. */
  void execute(Runnable task) {
    channel.eventLoop().execute(task);
  }

  void onGone(Runnable action) {
    onGone = action;
  }

  void onWritable(Runnable action) {
    onWritable = action;
  }

  /** The client has gone. */
  void gone() {
    if (!ended) {
      ended = true;
      onGone.run();
    }
  }

  /** Does what would be done if the client had gone; the response goes on. */
  void cancel() {
    onGone.run();
  }

  void writable() {
    onWritable.run();
  }

  /** A write that fails closes the connection; nobody waits for it. */
  private void write(Object message) {
    var _ = channel.write(message, channel.voidPromise());
  }

  private void describe(HttpHeaders out) {
    out.set("date", DateTimeFormatter.RFC_1123_DATE_TIME.format(ZonedDateTime.now(ZoneOffset.UTC)));
    out.set("server", "uvicorn");
    if (!keepAlive) {
      out.set(HttpHeaderNames.CONNECTION, HttpHeaderValues.CLOSE);
    }
  }

  private void end(int status, long contentLength) {
    ended = true;
    if (counted) {
      metrics.httpAnswered(
          path, method.name(), status, body.length, contentLength, System.nanoTime() - startNanos);
    }
    if (keepAlive) {
      onEnd.run();
    } else {
      channel.writeAndFlush(Unpooled.EMPTY_BUFFER).addListener(ChannelFutureListener.CLOSE);
    }
  }
}
