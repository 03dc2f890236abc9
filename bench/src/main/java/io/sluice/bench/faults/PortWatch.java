package io.sluice.bench.faults;

import java.io.IOException;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/**
 * Connects to a port again and again, sends nothing, and notes when it is refused first. A thread
 * of its own does so; the methods may be called by any thread.
 */
final class PortWatch implements AutoCloseable {
  private static final Duration TRY_EVERY = Duration.ofMillis(50);
  private static final int CONNECT_MILLIS = 1_000;

  private final long beganNanos = System.nanoTime();
  private final int port;
  private final Thread tries;
  private volatile Optional<Duration> closedAfter = Optional.empty();

  /** Begins at once. */
  PortWatch(int port) {
    this.port = port;
    this.tries = Thread.ofVirtual().name("port-watch").start(this::run);
  }

  /** Returns whether it has closed, and how long that took. */
  Sighting seen() {
    return closedAfter
        .map(after -> new Sighting("closes", after))
        .orElse(new Sighting("stays open", Duration.ZERO));
  }

  private void run() {
    try {
      while (closedAfter.isEmpty()) {
        if (isRefused()) {
          closedAfter = Optional.of(Duration.ofNanos(System.nanoTime() - beganNanos));
        }
        TimeUnit.NANOSECONDS.sleep(TRY_EVERY.toNanos());
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private boolean isRefused() {
    try (Socket socket = new Socket()) {
      socket.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), CONNECT_MILLIS);
      return false;
    } catch (ConnectException e) {
      return true;
    } catch (IOException e) {
      // The port is open, but its backlog is full.
      return false;
    }
  }

  @Override
  public void close() {
    tries.interrupt();
  }
}
