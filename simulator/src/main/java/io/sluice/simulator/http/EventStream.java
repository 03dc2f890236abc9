package io.sluice.simulator.http;

import io.netty.buffer.Unpooled;
import io.netty.handler.codec.http.DefaultHttpContent;
import io.netty.handler.codec.http.LastHttpContent;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Optional;

/**
 * A response of server-sent events whose head was sent. Used on the connection's event loop only.
 */
public final class EventStream {

  private static final byte[] PREFIX = "data: ".getBytes(StandardCharsets.US_ASCII);

  private final Exchange exchange;
  private long lastFlushNanos = System.nanoTime();

  EventStream(Exchange exchange, Optional<Duration> keepAlive) {
    this.exchange = exchange;
    keepAlive.ifPresent(this::checkLater);
  }

  private void checkLater(Duration silence) {
    exchange.schedule(silence, () -> keepAlive(silence));
  }

  /** Sends a comment, which clients ignore, if nothing was sent during the interval. */
  private void keepAlive(Duration silence) {
    if (exchange.isEnded()) {
      return;
    }
    Duration left = silence.minusNanos(System.nanoTime() - lastFlushNanos);
    if (!left.isPositive()) {
      write(": keep-alive\n\n".getBytes(StandardCharsets.US_ASCII));
      flush();
    }
    exchange.schedule(left.isPositive() ? left : silence, () -> keepAlive(silence));
  }

  /** Writes one event as one HTTP chunk. {@link #flush} sends it. */
  public void event(byte[] data) {
    write(framed(data));
  }

  /** Writes the first half of an event and closes the connection. */
  public void halfEvent(byte[] data) {
    exchange.write(
        new DefaultHttpContent(Unpooled.wrappedBuffer(framed(data), 0, data.length / 2)));
    exchange.hangUp();
  }

  /** Sends everything written so far. */
  public void flush() {
    lastFlushNanos = System.nanoTime();
    exchange.flush();
  }

  /** Sends everything written so far and ends the response. */
  public void end() {
    exchange.write(LastHttpContent.EMPTY_LAST_CONTENT);
    exchange.flush();
    exchange.end(200, 0);
  }

  private void write(byte[] bytes) {
    exchange.write(new DefaultHttpContent(Unpooled.wrappedBuffer(bytes)));
  }

  private static byte[] framed(byte[] data) {
    byte[] event = new byte[PREFIX.length + data.length + 2];
    System.arraycopy(PREFIX, 0, event, 0, PREFIX.length);
    System.arraycopy(data, 0, event, PREFIX.length, data.length);
    event[event.length - 2] = '\n';
    event[event.length - 1] = '\n';
    return event;
  }
}
