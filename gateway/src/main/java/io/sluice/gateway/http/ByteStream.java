package io.sluice.gateway.http;

import io.micronaut.core.io.buffer.ReadBuffer;
import io.micronaut.core.io.buffer.ReadBufferFactory;
import io.micronaut.http.HttpResponse;
import io.micronaut.http.MediaType;
import io.micronaut.http.MutableHttpResponse;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.util.function.Supplier;
import org.reactivestreams.Publisher;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A response of bytes whose number is known, written by one virtual thread at the speed of the
 * client. If they cannot be read, the connection is closed. Not thread-safe.
 */
public final class ByteStream {
  private static final Logger log = LoggerFactory.getLogger(ByteStream.class);
  private static final int CHUNK_BYTES = 64 * 1024;

  private final long length;
  private final Supplier<InputStream> source;
  private final Runnable ended;
  private final ResponseSink sink = new ResponseSink(this::start);

  private ByteStream(long length, Supplier<InputStream> source, Runnable ended) {
    this.length = length;
    this.source = source;
    this.ended = ended;
  }

  /**
   * Completes a response with bytes.
   *
   * @param source is opened when the head was sent, if the client waits for the body
   * @param ended is called after the last byte, or when the client has gone
   */
  public static HttpResponse<ByteStream> respond(
      MutableHttpResponse<?> head, long length, Supplier<InputStream> source, Runnable ended) {
    return head.contentType(MediaType.APPLICATION_OCTET_STREAM_TYPE)
        .contentLength(length)
        .body(new ByteStream(length, source, ended));
  }

  /**
   * Replaces the body of a response by a stream of the same bytes.
   *
   * @param ended is called after the last byte, or when the client has gone
   */
  public static void replace(MutableHttpResponse<?> response, byte[] body, Runnable ended) {
    response.body(new ByteStream(body.length, () -> new ByteArrayInputStream(body), ended));
  }

  long length() {
    return length;
  }

  Publisher<ReadBuffer> body(ReadBufferFactory buffers) {
    return sink.in(buffers);
  }

  private void start() {
    Thread.ofVirtual().name("sluice-content").start(this::run);
  }

  private void run() {
    try {
      try (InputStream in = source.get()) {
        copy(in);
      }
      sink.end();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      sink.fail(e);
    } catch (IOException | RuntimeException | Error e) {
      log.error("event=content_failed reason=\"{}\"", e.getMessage());
      sink.fail(e);
    } finally {
      ended.run();
    }
  }

  private void copy(InputStream in) throws IOException, InterruptedException {
    boolean isThere = true;
    for (byte[] chunk = in.readNBytes(CHUNK_BYTES);
        isThere && chunk.length > 0;
        chunk = in.readNBytes(CHUNK_BYTES)) {
      isThere = sink.write(chunk);
    }
  }
}
