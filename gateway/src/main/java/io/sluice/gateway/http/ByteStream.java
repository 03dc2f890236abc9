package io.sluice.gateway.http;

import io.micronaut.core.io.buffer.ReadBuffer;
import io.micronaut.core.io.buffer.ReadBufferFactory;
import io.micronaut.http.HttpResponse;
import io.micronaut.http.MediaType;
import io.micronaut.http.MutableHttpResponse;
import java.io.IOException;
import java.io.InputStream;
import java.time.Duration;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
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

  /** Bounds the memory, because a source may hold some MiB. */
  private static final Semaphore PLACES = new Semaphore(128, true);

  private static final Duration LONGEST_WAIT = Duration.ofSeconds(30);

  private final long length;
  private final Supplier<InputStream> source;
  private final ResponseSink sink = new ResponseSink(this::start);

  private ByteStream(long length, Supplier<InputStream> source) {
    this.length = length;
    this.source = source;
  }

  /**
   * Completes a response with bytes.
   *
   * @param source is opened when the head was sent, if the client waits for the body
   */
  public static HttpResponse<ByteStream> respond(
      MutableHttpResponse<?> head, long length, Supplier<InputStream> source) {
    return head.contentType(MediaType.APPLICATION_OCTET_STREAM_TYPE)
        .contentLength(length)
        .body(new ByteStream(length, source));
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
      if (!PLACES.tryAcquire(LONGEST_WAIT.toSeconds(), TimeUnit.SECONDS)) {
        sink.fail(new IOException("too many downloads at a time"));
        return;
      }
      try (InputStream in = source.get()) {
        copy(in);
      } finally {
        PLACES.release();
      }
      sink.end();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      sink.fail(e);
    } catch (IOException | RuntimeException e) {
      log.error("event=content_failed reason=\"{}\"", e.getMessage());
      sink.fail(e);
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
