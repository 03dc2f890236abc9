package io.sluice.simulator.http;

import java.time.Duration;
import java.util.Optional;

/**
 * Sends a comment whenever a stream has been silent for the interval, also before its first frame.
 * Used on the connection's event loop.
 */
final class KeepAliveComments {

  private final Optional<Duration> interval;
  private long lastWriteNanos = System.nanoTime();

  KeepAliveComments(Optional<Duration> interval) {
    this.interval = interval;
  }

  void start(Exchange exchange) {
    interval.ifPresent(silence -> exchange.schedule(silence, () -> check(exchange, silence)));
  }

  void wrote() {
    lastWriteNanos = System.nanoTime();
  }

  private void check(Exchange exchange, Duration silence) {
    if (exchange.isEnded()) {
      return;
    }
    Duration left = silence.minusNanos(System.nanoTime() - lastWriteNanos);
    if (!left.isPositive()) {
      exchange.comment("keep-alive");
      wrote();
    }
    exchange.schedule(left.isPositive() ? left : silence, () -> check(exchange, silence));
  }
}
