package io.sluice.bench.gateway;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Optional;
import java.util.StringJoiner;
import org.jspecify.annotations.Nullable;

/**
 * Reads the server-sent events of a response. A silence without even a comment counts as a broken
 * connection, because a frozen server does not close its connections. Used by one thread.
 */
public final class SseBody implements AutoCloseable {
  private final InputStream body;
  private final BufferedReader lines;
  private final Duration silence;
  private final Thread watch;
  private volatile long lastNanos = System.nanoTime();
  private volatile boolean isSilent;

  /**
   * Begins to read.
   *
   * @param silence after which the connection counts as broken
   */
  public SseBody(InputStream body, Duration silence) {
    this.body = body;
    this.lines = new BufferedReader(new InputStreamReader(body, StandardCharsets.UTF_8));
    this.silence = silence;
    this.watch = Thread.ofVirtual().name("silence").start(this::watch);
  }

  private void watch() {
    try {
      while (System.nanoTime() - lastNanos < silence.toNanos()) {
        Thread.sleep(silence.dividedBy(8));
      }
      isSilent = true;
      body.close();
    } catch (IOException e) {
      // It is broken anyway.
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /**
   * Returns the next event; empty if the body has ended in good order. Half an event at its end
   * does not count.
   *
   * @throws IOException if the connection broke, or was silent for too long
   */
  public Optional<SseEvent> next() throws IOException {
    String id = "";
    String name = "";
    StringJoiner data = new StringJoiner("\n").setEmptyValue("");
    for (String line = readLine(); line != null; line = readLine()) {
      if (line.isEmpty()) {
        if (data.length() > 0) {
          return Optional.of(new SseEvent(id, name, data.toString()));
        }
        name = "";
        continue;
      }
      int colon = line.indexOf(':');
      String value = colon < 0 ? "" : line.substring(colon + 1).stripLeading();
      switch (colon < 0 ? line : line.substring(0, colon)) {
        case "id" -> id = value;
        case "event" -> name = value;
        case "data" -> data.add(value);
        default -> {}
      }
    }
    return Optional.empty();
  }

  private @Nullable String readLine() throws IOException {
    String line = lines.readLine();
    if (isSilent) {
      throw new IOException("nothing came for " + silence.toMillis() + " ms");
    }
    lastNanos = System.nanoTime();
    return line;
  }

  @Override
  public void close() throws IOException {
    watch.interrupt();
    body.close();
  }
}
