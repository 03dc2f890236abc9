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
import io.netty.handler.codec.http.QueryStringDecoder;
import java.time.Duration;
import java.time.ZoneOffset;
import java.time.ZonedDateTime;
import java.time.format.DateTimeFormatter;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.TimeUnit;

/**
 * One request and its response. Used on the connection's event loop only, except for {@link
 * #execute} and {@link #schedule}.
 */
public final class Exchange {

  private final Channel channel;
  private final HttpMethod method;
  private final String path;
  private final QueryStringDecoder query;
  private final HttpHeaders headers;
  private final boolean requestIdHeader;
  private final CrossOrigin crossOrigin;
  private final byte[] body;
  private final boolean keepAlive;
  private final AnswerListener listener;
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
      AnswerListener listener,
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
    this.listener = listener;
    this.onEnd = onEnd;
  }

  /** Returns the name of the HTTP method. */
  public String method() {
    return method.name();
  }

  /** Returns the undecoded path without the query. */
  public String path() {
    return path;
  }

  /** Returns the undecoded query; empty if there is none. */
  public String rawQuery() {
    return query.rawQuery();
  }

  /** Returns the body of the request. */
  public byte[] body() {
    return body;
  }

  /** Returns the first value of a request header. */
  public Optional<String> header(String name) {
    return Optional.ofNullable(headers.get(name));
  }

  /** Returns the values of a query parameter. */
  public List<String> query(String name) {
    return query.parameters().getOrDefault(name, List.of());
  }

  /** Includes this exchange in the HTTP metrics when it ends. */
  public void count() {
    counted = true;
  }

  /** Sends a whole response. */
  public void reply(int status, String contentType, byte[] content) {
    reply(status, contentType, content, "", "");
  }

  /** Sends a whole response with one more header, unless the header's name is empty. */
  public void reply(int status, String contentType, byte[] content, String header, String value) {
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
  public void replyHalf(byte[] json) {
    DefaultHttpResponse response =
        new DefaultHttpResponse(HttpVersion.HTTP_1_1, HttpResponseStatus.OK);
    describe(response.headers());
    response.headers().set(HttpHeaderNames.CONTENT_TYPE, "application/json");
    response.headers().setInt(HttpHeaderNames.CONTENT_LENGTH, json.length);
    write(response);
    write(new DefaultHttpContent(Unpooled.wrappedBuffer(json, 0, json.length / 2)));
    hangUp();
  }

  /** Sends a whole JSON response. */
  public void replyJson(int status, byte[] json) {
    reply(status, "application/json", json);
  }

  /**
   * Sends the head of an event stream immediately.
   *
   * @param keepAlive the silence after which the client gets a comment; empty for no comments
   */
  public EventStream openStream(Optional<Duration> keepAlive) {
    DefaultHttpResponse response =
        new DefaultHttpResponse(HttpVersion.HTTP_1_1, HttpResponseStatus.OK);
    describe(response.headers());
    response.headers().set(HttpHeaderNames.CONTENT_TYPE, "text/event-stream; charset=utf-8");
    response.headers().set(HttpHeaderNames.TRANSFER_ENCODING, HttpHeaderValues.CHUNKED);
    write(response);
    channel.flush();
    return new EventStream(this, keepAlive);
  }

  void flush() {
    channel.flush();
  }

  /** Closes the connection, even in the middle of a response. */
  public void hangUp() {
    channel.flush();
    var _ = channel.close();
  }

  /** Closes the connection with a TCP reset and without an answer. */
  public void reset() {
    channel.config().setOption(ChannelOption.SO_LINGER, 0);
    var _ = channel.close();
  }

  /** Returns whether the connection accepts more data without buffering it. */
  public boolean isWritable() {
    return channel.isWritable();
  }

  /** Returns whether the response is complete or the client has disconnected. */
  public boolean isEnded() {
    return ended;
  }

  /** Runs a task on the connection's event loop. Thread-safe. */
  public void execute(Runnable task) {
    channel.eventLoop().execute(task);
  }

  /** Runs a task on the connection's event loop after a delay. Thread-safe. */
  public void schedule(Duration delay, Runnable task) {
    var _ = channel.eventLoop().schedule(task, delay.toNanos(), TimeUnit.NANOSECONDS);
  }

  /** Sets the action that runs once when the exchange ends, for whatever reason. */
  public void onFinished(Runnable action) {
    onFinished = action;
  }

  /** Sets the action that runs if the client disconnects before its response is complete. */
  public void onGone(Runnable action) {
    onGone = action;
  }

  /** Sets the action that runs whenever the connection accepts more data again. */
  public void onWritable(Runnable action) {
    onWritable = action;
  }

  /** Called when the client has disconnected. */
  void gone() {
    if (!ended) {
      ended = true;
      onGone.run();
      onFinished.run();
    }
  }

  /** Runs the action for a disconnected client, although the response continues. */
  public void cancel() {
    onGone.run();
  }

  void writable() {
    onWritable.run();
  }

  /** Writes without a result: a write that fails closes the connection. */
  void write(Object message) {
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

  void end(int status, long contentLength) {
    ended = true;
    onFinished.run();
    if (counted) {
      listener.answered(
          path, method.name(), status, body.length, contentLength, System.nanoTime() - startNanos);
    }
    if (keepAlive) {
      onEnd.run();
    } else {
      channel.writeAndFlush(Unpooled.EMPTY_BUFFER).addListener(ChannelFutureListener.CLOSE);
    }
  }
}
