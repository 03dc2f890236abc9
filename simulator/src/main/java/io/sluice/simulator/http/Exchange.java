package io.sluice.simulator.http;

import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelOption;
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
import io.netty.handler.codec.http.QueryStringDecoder;
import io.sluice.simulator.metrics.ServerMetrics;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.ZoneOffset;
import java.time.ZonedDateTime;
import java.time.format.DateTimeFormatter;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.TimeUnit;

/**
 * One request and its response on a connection. Used on the connection's event loop only, except
 * for {@link #execute}.
 */
final class Exchange {

  private final Channel channel;
  private final HttpMethod method;
  private final String path;
  private final QueryStringDecoder query;
  private final HttpHeaders headers;
  private final boolean requestIdHeader;
  private final CrossOrigin crossOrigin;
  private final byte[] body;
  private final boolean keepAlive;
  private final ServerMetrics metrics;
  private final Runnable onEnd;
  private final long startNanos = System.nanoTime();

  private Runnable onGone = () -> {};
  private Runnable onWritable = () -> {};
  private Runnable onFinished = () -> {};
  private boolean ended;
  private boolean counted;

  Exchange(
      Channel channel,
      FullHttpRequest request,
      boolean requestIdHeader,
      CrossOrigin crossOrigin,
      ServerMetrics metrics,
      Runnable onEnd) {
    this.channel = channel;
    this.requestIdHeader = requestIdHeader;
    this.crossOrigin = crossOrigin;
    this.method = request.method();
    this.query = new QueryStringDecoder(request.uri());
    this.path = query.rawPath();
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

  String rawQuery() {
    return query.rawQuery();
  }

  byte[] body() {
    return body;
  }

  Optional<String> header(String name) {
    return Optional.ofNullable(headers.get(name));
  }

  /** Returns the values of a query parameter. */
  List<String> query(String name) {
    return query.parameters().getOrDefault(name, List.of());
  }

  /** Counts this exchange in the HTTP metrics when it ends. */
  void count() {
    counted = true;
  }

  /** Sends a whole response. */
  void reply(int status, String contentType, byte[] content) {
    reply(status, contentType, content, "", "");
  }

  /** Sends a whole response with one more header; none when its name is empty. */
  void reply(int status, String contentType, byte[] content, String header, String value) {
    DefaultFullHttpResponse response =
        new DefaultFullHttpResponse(
            HttpVersion.HTTP_1_1,
            HttpResponseStatus.valueOf(status),
            Unpooled.wrappedBuffer(content));
    describe(response.headers());
    if (!contentType.isEmpty()) {
      response.headers().set(HttpHeaderNames.CONTENT_TYPE, contentType);
    }
    if (!header.isEmpty()) {
      response.headers().set(header, value);
    }
    response.headers().setInt(HttpHeaderNames.CONTENT_LENGTH, content.length);
    write(response);
    channel.flush();
    end(status, content.length);
  }

  boolean isPreflight() {
    return CrossOrigin.isPreflight(method, headers);
  }

  /** Sends the first half of a whole response and closes the connection. */
  void replyHalf(byte[] json) {
    DefaultHttpResponse response =
        new DefaultHttpResponse(HttpVersion.HTTP_1_1, HttpResponseStatus.OK);
    describe(response.headers());
    response.headers().set(HttpHeaderNames.CONTENT_TYPE, "application/json");
    response.headers().setInt(HttpHeaderNames.CONTENT_LENGTH, json.length);
    write(response);
    write(new DefaultHttpContent(Unpooled.wrappedBuffer(json, 0, json.length / 2)));
    hangUp();
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
    write(new DefaultHttpContent(Unpooled.wrappedBuffer(framed(json))));
  }

  /** Writes the first half of an event and closes the connection. */
  void halfEvent(byte[] json) {
    write(new DefaultHttpContent(Unpooled.wrappedBuffer(framed(json), 0, json.length / 2)));
    hangUp();
  }

  /** Writes a comment, which clients skip, and sends it. */
  void comment(String text) {
    byte[] line = (": " + text + "\n\n").getBytes(StandardCharsets.US_ASCII);
    write(new DefaultHttpContent(Unpooled.wrappedBuffer(line)));
    channel.flush();
  }

  private static byte[] framed(byte[] json) {
    byte[] event = new byte[json.length + 8];
    System.arraycopy("data: ".getBytes(StandardCharsets.US_ASCII), 0, event, 0, 6);
    System.arraycopy(json, 0, event, 6, json.length);
    event[event.length - 2] = '\n';
    event[event.length - 1] = '\n';
    return event;
  }

  void flush() {
    channel.flush();
  }

  /** Sends the end marker and ends the stream. */
  void closeStream() {
    event("[DONE]".getBytes(StandardCharsets.US_ASCII));
    closeStreamWithoutMarker();
  }

  /** Ends the stream as if all had been said. */
  void closeStreamWithoutMarker() {
    write(LastHttpContent.EMPTY_LAST_CONTENT);
    channel.flush();
    end(200, 0);
  }

  /** Closes the connection in the middle of things. */
  void hangUp() {
    channel.flush();
    var _ = channel.close();
  }

  /** Closes the connection with a TCP reset and no answer. */
  void reset() {
    channel.config().setOption(ChannelOption.SO_LINGER, 0);
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

  /** Runs something on the connection's event loop after a while. Thread-safe. */
  void schedule(Duration delay, Runnable task) {
    var _ = channel.eventLoop().schedule(task, delay.toNanos(), TimeUnit.NANOSECONDS);
  }

  /** Runs something once when the exchange is over, however it ends. */
  void onFinished(Runnable action) {
    onFinished = action;
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
      onFinished.run();
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
    if (requestIdHeader) {
      String id =
          header("x-request-id").orElseGet(() -> UUID.randomUUID().toString().replace("-", ""));
      out.set("x-request-id", id);
    }
    crossOrigin.describe(method, headers, out);
    if (!keepAlive) {
      out.set(HttpHeaderNames.CONNECTION, HttpHeaderValues.CLOSE);
    }
  }

  private void end(int status, long contentLength) {
    ended = true;
    onFinished.run();
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
