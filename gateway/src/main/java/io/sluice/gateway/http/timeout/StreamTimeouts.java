package io.sluice.gateway.http.timeout;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.codec.http2.Http2ConnectionAdapter;
import io.netty.handler.codec.http2.Http2ConnectionHandler;
import io.netty.handler.codec.http2.Http2Error;
import io.netty.handler.codec.http2.Http2Exception;
import io.netty.handler.codec.http2.Http2FrameListenerDecorator;
import io.netty.handler.codec.http2.Http2Headers;
import io.netty.handler.codec.http2.Http2Stream;
import io.sluice.gateway.http.OpenResponses;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Resets a stream of an HTTP/2 connection whose request takes too long to arrive, with the limits
 * of {@link RequestTimeouts}. Used by the event loop of the connection only.
 */
final class StreamTimeouts extends Http2FrameListenerDecorator {
  private static final Logger log = LoggerFactory.getLogger(StreamTimeouts.class);

  private final Http2ConnectionHandler http2;
  private final ChannelHandlerContext context;
  private final Duration receive;
  private final OpenResponses responses;
  private final Map<Integer, Arrival> arriving = new HashMap<>();

  /** The streams whose response is awaited or being sent. */
  private final Set<Integer> open = new HashSet<>();

  private StreamTimeouts(
      Http2ConnectionHandler http2,
      ChannelHandlerContext context,
      Duration receive,
      OpenResponses responses) {
    super(http2.decoder().frameListener());
    this.http2 = http2;
    this.context = context;
    this.receive = receive;
    this.responses = responses;
  }

  /**
   * Begins to watch the streams of a connection.
   *
   * @param context that of the handler
   * @param receive from the head of a request to the end of its body, or of a file's next 64 KiB
   * @param responses counts the connection's open responses
   */
  static void watch(
      Http2ConnectionHandler http2,
      ChannelHandlerContext context,
      Duration receive,
      OpenResponses responses)
      throws Http2Exception {
    StreamTimeouts timeouts = new StreamTimeouts(http2, context, receive, responses);
    http2.decoder().frameListener(timeouts);
    http2
        .connection()
        .addListener(
            new Http2ConnectionAdapter() {
              @Override
              public void onStreamClosed(Http2Stream stream) {
                timeouts.arrived(stream.id());
                timeouts.closed(stream.id());
              }
            });
    http2.connection().forEachActiveStream(timeouts::isAdopted);
  }

  /** The streams of clients that do not wait for the answer to their upgrade have begun. */
  private boolean isAdopted(Http2Stream begun) {
    opened(begun.id());
    if (begun.state() == Http2Stream.State.OPEN) {
      arriving.put(begun.id(), new Arrival(begun.id(), false));
    }
    return true;
  }

  @Override
  public void onHeadersRead(
      ChannelHandlerContext its, int streamId, Http2Headers headers, int padding, boolean endStream)
      throws Http2Exception {
    headed(streamId, headers, endStream);
    super.onHeadersRead(its, streamId, headers, padding, endStream);
  }

  @Override
  public void onHeadersRead(
      ChannelHandlerContext its,
      int streamId,
      Http2Headers headers,
      int streamDependency,
      short weight,
      boolean exclusive,
      int padding,
      boolean endStream)
      throws Http2Exception {
    headed(streamId, headers, endStream);
    super.onHeadersRead(
        its, streamId, headers, streamDependency, weight, exclusive, padding, endStream);
  }

  /** The headers are the head of a request, or come after its body. */
  private void headed(int streamId, Http2Headers headers, boolean isEnd) {
    opened(streamId);
    if (isEnd) {
      arrived(streamId);
    } else {
      boolean isUpload =
          headers.path() != null && RequestTimeouts.isUpload(headers.method(), headers.path());
      arriving.computeIfAbsent(streamId, id -> new Arrival(id, isUpload));
    }
  }

  @Override
  public int onDataRead(
      ChannelHandlerContext its, int streamId, ByteBuf data, int padding, boolean endOfStream)
      throws Http2Exception {
    Arrival arrival = arriving.get(streamId);
    if (endOfStream) {
      arrived(streamId);
    } else if (arrival != null) {
      arrival.came(data.readableBytes());
    }
    return super.onDataRead(its, streamId, data, padding, endOfStream);
  }

  private void opened(int streamId) {
    if (open.add(streamId)) {
      responses.begin();
    }
  }

  private void closed(int streamId) {
    if (open.remove(streamId)) {
      responses.end();
    }
  }

  private void arrived(int streamId) {
    Arrival arrival = arriving.remove(streamId);
    if (arrival != null) {
      arrival.timeout.cancel(false);
    }
  }

  /** Tells the server, which holds what has come, as if the client had reset the stream. */
  private void reset(int streamId) {
    arriving.remove(streamId);
    long code = Http2Error.CANCEL.code();
    try {
      super.onRstStreamRead(context, streamId, code);
    } catch (Http2Exception e) {
      log.warn("event=stream_not_reset stream={}", streamId, e);
    }
    var _ = http2.resetStream(context, streamId, code, context.newPromise());
    http2.flush(context);
  }

  private final class Arrival {
    private final int streamId;
    private final boolean isUpload;
    private int progressBytes;
    private Future<?> timeout;

    Arrival(int streamId, boolean isUpload) {
      this.streamId = streamId;
      this.isUpload = isUpload;
      this.timeout = resetLater();
    }

    private Future<?> resetLater() {
      return context
          .executor()
          .schedule(() -> reset(streamId), receive.toMillis(), TimeUnit.MILLISECONDS);
    }

    void came(int bytes) {
      progressBytes += bytes;
      if (isUpload && progressBytes >= RequestTimeouts.LEAST_PROGRESS_BYTES) {
        progressBytes = 0;
        timeout.cancel(false);
        timeout = resetLater();
      }
    }
  }
}
