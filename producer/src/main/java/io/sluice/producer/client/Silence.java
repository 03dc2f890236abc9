package io.sluice.producer.client;

import java.time.Duration;
import java.util.OptionalLong;

/** How long records have not come that are known to exist. Not thread-safe. */
final class Silence {
  private static final Duration MOST = Duration.ofSeconds(30);

  private OptionalLong sinceNanos = OptionalLong.empty();

  /** Records came, or none are known to exist. */
  void broken() {
    sinceNanos = OptionalLong.empty();
  }

  /** There was no record up to now; returns whether that has been so for too long. */
  boolean isTooLong(long nowNanos) {
    if (sinceNanos.isEmpty()) {
      sinceNanos = OptionalLong.of(nowNanos);
    }
    return nowNanos - sinceNanos.getAsLong() > MOST.toNanos();
  }
}
