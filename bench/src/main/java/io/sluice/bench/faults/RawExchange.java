package io.sluice.bench.faults;

import java.io.IOException;
import java.io.InputStream;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.OptionalInt;
import java.util.concurrent.locks.LockSupport;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * One HTTP/1.1 request on its own connection. Its bytes are inspected as they arrive, because a
 * client library would hide how an answer ends. A separate thread reads them. Thread-safe.
 */
final class RawExchange implements AutoCloseable {
  private static final int CONNECT_MILLIS = 3_000;
  private static final int SMALL_BUFFER_BYTES = 4_096;
  private static final Duration PAUSE_STEP = Duration.ofMillis(10);
  private static final Pattern STATUS = Pattern.compile("HTTP/1\\.1 (\\d+)");
  private static final Pattern LENGTH = Pattern.compile("(?i)\r\ncontent-length: *(\\d+)\r\n");
  private static final Pattern ERROR_TYPE = Pattern.compile("\"error\":.*?\"type\": ?\"(\\w+)\"");
  private static final String FRAME = "data: {";
  private static final String LAST_FRAME = "data: [DONE]";
  private static final String LAST_CHUNK = "\r\n0\r\n\r\n";

  private final Socket socket = new Socket();
  private final StringBuilder received = new StringBuilder();
  private final Thread reader;
  private final long sentNanos = System.nanoTime();
  private final OptionalInt receiveBuffer;
  private volatile boolean isRefused;
  private volatile boolean isPaused;
  private volatile long endNanos;

  /**
   * Sends a request at once.
   *
   * @param body empty for a GET
   */
  RawExchange(int port, String path, String body) {
    this(port, path, body, OptionalInt.empty());
  }

  private RawExchange(int port, String path, String body, OptionalInt receiveBuffer) {
    this.receiveBuffer = receiveBuffer;
    this.reader = Thread.ofVirtual().name("exchange").start(() -> run(port, path, body));
  }

  /**
   * Sends a request at once, on a connection that holds little of what is not read, so that the
   * engine soon notices.
   */
  static RawExchange withSmallBuffer(int port, String path, String body) {
    return new RawExchange(port, path, body, OptionalInt.of(SMALL_BUFFER_BYTES));
  }

  /** Stops reading, or continues. */
  void pause(boolean isToPause) {
    isPaused = isToPause;
  }

  private void run(int port, String path, String body) {
    try {
      if (receiveBuffer.isPresent()) {
        socket.setReceiveBufferSize(receiveBuffer.getAsInt());
      }
      socket.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), CONNECT_MILLIS);
      socket.getOutputStream().write(request(path, body));
      read(socket.getInputStream());
    } catch (ConnectException e) {
      isRefused = true;
    } catch (IOException e) {
      // The connection was cut; the bytes read so far show it.
    } finally {
      endNanos = System.nanoTime();
    }
  }

  private static byte[] request(String path, String body) {
    String head =
        body.isEmpty()
            ? "GET %s HTTP/1.1\r\nHost: engine\r\nConnection: close\r\n\r\n".formatted(path)
            : "POST %s HTTP/1.1\r\nHost: engine\r\nConnection: close\r\nContent-Type: application/json\r\nContent-Length: %s\r\n\r\n"
                .formatted(path, body.getBytes(StandardCharsets.UTF_8).length);
    return (head + body).getBytes(StandardCharsets.UTF_8);
  }

  private void read(InputStream in) throws IOException {
    byte[] buffer = new byte[8_192];
    while (!isWhole()) {
      awaitUnpaused();
      int count = in.read(buffer);
      if (count < 0) {
        return;
      }
      synchronized (received) {
        received.append(new String(buffer, 0, count, StandardCharsets.ISO_8859_1));
      }
    }
  }

  private void awaitUnpaused() {
    while (isPaused && !socket.isClosed()) {
      LockSupport.parkNanos(PAUSE_STEP.toNanos());
    }
  }

  private boolean isWhole() {
    String text = text();
    int body = text.indexOf("\r\n\r\n") + 4;
    Matcher length = LENGTH.matcher(text);
    return body > 3
        && (length.find()
            ? text.length() - body >= Integer.parseInt(length.group(1))
            : text.endsWith(LAST_CHUNK));
  }

  private String text() {
    synchronized (received) {
      return received.toString();
    }
  }

  /** Returns whether the exchange is over. */
  boolean isOver() {
    return !reader.isAlive();
  }

  /** Returns how many frames have arrived. */
  int frames() {
    String text = text();
    int frames = 0;
    for (int at = text.indexOf(FRAME); at >= 0; at = text.indexOf(FRAME, at + 1)) {
      frames++;
    }
    return frames;
  }

  /**
   * Returns what a client has seen after a while, or when the exchange is over.
   *
   * @param sinceNanos the start of the measured time, unless the request was sent later
   */
  Sighting await(Duration limit, long sinceNanos) throws InterruptedException {
    boolean isOver = reader.join(limit);
    return new Sighting(
        isOver ? ended() : "open",
        Duration.ofNanos(isOver ? endNanos - Math.max(sinceNanos, sentNanos) : 0));
  }

  private String ended() {
    String text = text();
    Matcher status = STATUS.matcher(text);
    if (isRefused) {
      return "refused";
    }
    if (!status.lookingAt()) {
      return "closed without an answer";
    }
    if (!status.group(1).equals("200")) {
      return "status " + status.group(1);
    }
    if (!isWhole()) {
      return "cut";
    }
    Matcher error = ERROR_TYPE.matcher(text);
    String how = error.find() ? "error frame " + error.group(1) : "whole";
    boolean isAborted = text.contains("\"finish_reason\":\"abort\"");
    boolean isStream = text.contains(FRAME);
    return (isAborted ? "abort" : how)
        + (isStream && !text.contains(LAST_FRAME) ? ", no [DONE]" : "");
  }

  @Override
  public void close() {
    try {
      socket.close();
    } catch (IOException e) {
      // The exchange is not needed any more.
    }
  }
}
