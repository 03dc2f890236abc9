package io.sluice.gateway.http;

import io.micronaut.core.io.buffer.ReadBuffer;
import io.micronaut.core.io.buffer.ReadBufferFactory;
import io.micronaut.http.HttpHeaders;
import io.micronaut.http.HttpResponse;
import io.micronaut.http.MutableHttpResponse;
import io.sluice.common.protocol.ErrorKind;
import io.sluice.common.reply.Utf8Text;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Publisher;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A response of server-sent events, written by one virtual thread. The format is that of the HTML
 * standard. Not thread-safe.
 */
public final class EventStream {
  private static final Logger log = LoggerFactory.getLogger(EventStream.class);
  private static final String DATA = "data: ";

  /** Writes the events of one response, on a virtual thread. */
  @FunctionalInterface
  public interface Writer {
    /** Writes all events; the response ends when it returns. */
    void write(EventStream events) throws InterruptedException;
  }

  private final Writer writer;
  private final Function<ApiError, Frame> errors;
  private final ResponseSink sink = new ResponseSink(this::start);
  private @Nullable OpenResponses responses;

  private EventStream(Writer writer, Function<ApiError, Frame> errors) {
    this.writer = writer;
    this.errors = errors;
  }

  /** Completes a response with events, which the writer writes when the head was sent. */
  public static HttpResponse<EventStream> respond(MutableHttpResponse<?> head, Writer writer) {
    return respond(head, writer, error -> new Frame.Data(error.toText()));
  }

  /**
   * Completes a response with events, which the writer writes when the head was sent.
   *
   * @param errors makes the last event of a writer that fails
   */
  public static HttpResponse<EventStream> respond(
      MutableHttpResponse<?> head, Writer writer, Function<ApiError, Frame> errors) {
    head.contentType("text/event-stream; charset=utf-8");
    head.header(HttpHeaders.CACHE_CONTROL, "no-cache");
    // Asks nginx and its like not to hold events back.
    head.header("x-accel-buffering", "no");
    return head.body(new EventStream(writer, errors));
  }

  /**
   * Returns the bytes of the events.
   *
   * @param counted in which it counts while it is written
   */
  Publisher<ReadBuffer> body(ReadBufferFactory buffers, OpenResponses counted) {
    responses = counted;
    return sink.in(buffers);
  }

  /**
   * Writes an event or a comment.
   *
   * @return false if the client has gone
   */
  public boolean write(Frame frame) throws InterruptedException {
    return switch (frame) {
      case Frame.Data(Utf8Text data) -> send(DATA, data);
      case Frame.Event(String name, Utf8Text data) -> event(name, data);
      case Frame.Comment(String text) -> comment(text);
    };
  }

  /**
   * Writes an event of data without line breaks.
   *
   * @return false if the client has gone
   */
  public boolean data(String data) throws InterruptedException {
    return write(new Frame.Data(data));
  }

  /**
   * Writes an event of data without line breaks that a client can continue after.
   *
   * @return false if the client has gone
   */
  public boolean data(String id, Utf8Text data) throws InterruptedException {
    return send("id: " + id + "\n" + DATA, data);
  }

  /**
   * Writes a named event of data without line breaks that a client can continue after.
   *
   * @return false if the client has gone
   */
  public boolean event(String id, String name, Utf8Text data) throws InterruptedException {
    return send("id: " + id + "\nevent: " + name + "\n" + DATA, data);
  }

  /**
   * Writes a named event of data without line breaks.
   *
   * @return false if the client has gone
   */
  public boolean event(String name, Utf8Text data) throws InterruptedException {
    return send("event: " + name + "\n" + DATA, data);
  }

  /**
   * Writes a comment, which clients ignore.
   *
   * @return false if the client has gone
   */
  public boolean comment(String text) throws InterruptedException {
    return send(": ", Utf8Text.of(text));
  }

  /**
   * Writes a comment that keeps the connection from being taken for dead.
   *
   * @return false if the client has gone
   */
  public boolean keepAlive() throws InterruptedException {
    return write(Frame.KEEP_ALIVE);
  }

  /**
   * Writes a named event of data without line breaks, and no space before the data, as servers of
   * the Durable Streams protocol do.
   *
   * @return false if the client has gone
   */
  public boolean compactEvent(String name, Utf8Text data) throws InterruptedException {
    return send("event: " + name + "\ndata:", data);
  }

  private boolean send(String head, Utf8Text text) throws InterruptedException {
    byte[] first = head.getBytes(StandardCharsets.UTF_8);
    byte[] lines = Arrays.copyOf(first, first.length + text.length() + 2);
    System.arraycopy(text.bytes(), 0, lines, first.length, text.length());
    lines[lines.length - 2] = '\n';
    lines[lines.length - 1] = '\n';
    return sink.write(lines);
  }

  private void start() {
    Thread.ofVirtual().name("sluice-stream").start(this::run);
  }

  private void run() {
    OpenResponses counted = responses;
    if (counted != null) {
      counted.begin();
    }
    try {
      writer.write(this);
    } catch (InterruptedException e) {
      sink.fail(e);
      Thread.currentThread().interrupt();
    } catch (RuntimeException | Error e) {
      fail(e);
    } finally {
      sink.end();
      if (counted != null) {
        counted.end();
      }
    }
  }

  /** Without an error, the client would take half an answer for a whole one. */
  private void fail(Throwable failure) {
    try {
      log.error("event=stream_failed", failure);
      write(
          errors.apply(
              ApiError.of(ErrorKind.UNAVAILABLE, "internal error of the gateway; see its log")));
    } catch (InterruptedException e) {
      sink.fail(e);
      Thread.currentThread().interrupt();
    } catch (RuntimeException | Error e) {
      sink.fail(e);
    }
  }
}
