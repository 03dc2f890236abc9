package io.sluice.gateway.http;

import io.netty.channel.Channel;
import io.netty.handler.codec.http2.Http2Connection;
import io.netty.handler.codec.http2.Http2ConnectionAdapter;
import io.netty.handler.codec.http2.Http2Stream;
import io.netty.util.AttributeKey;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Tells when a stream of an HTTP/2 connection ends: streams have no channels of their own. Used by
 * the event loop of the connection only.
 */
public final class StreamEnds extends Http2ConnectionAdapter {
  private static final AttributeKey<StreamEnds> KEY = AttributeKey.valueOf("sluice-stream-ends");

  private final Http2Connection connection;
  private final Http2Connection.PropertyKey action;

  private StreamEnds(Http2Connection connection) {
    this.connection = connection;
    this.action = connection.newKey();
  }

  /** Begins to watch the streams of a connection. */
  public static void watch(Http2Connection connection, Channel channel) {
    StreamEnds ends = new StreamEnds(connection);
    connection.addListener(ends);
    channel.attr(KEY).set(ends);
  }

  /** Returns the ends of a connection's streams; empty if it is one of HTTP/1.1. */
  public static Optional<StreamEnds> of(Channel channel) {
    return Optional.ofNullable(channel.attr(KEY).get());
  }

  /**
   * Runs an action when a stream ends, or at once if it has ended. A stream can have several.
   *
   * @param streamId of a stream that the client has begun
   */
  public void whenEnded(int streamId, Runnable its) {
    Http2Stream stream = connection.stream(streamId);
    if (stream == null || stream.state() == Http2Stream.State.CLOSED) {
      its.run();
    } else {
      @Nullable Runnable before = stream.getProperty(action);
      stream.setProperty(action, before == null ? its : both(before, its));
    }
  }

  private static Runnable both(Runnable first, Runnable second) {
    return () -> {
      first.run();
      second.run();
    };
  }

  @Override
  public void onStreamClosed(Http2Stream stream) {
    @Nullable Runnable its = stream.removeProperty(action);
    if (its != null) {
      its.run();
    }
  }
}
