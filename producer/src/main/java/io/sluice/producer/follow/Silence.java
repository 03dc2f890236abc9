package io.sluice.producer.follow;

import java.time.Duration;
import java.util.OptionalLong;

/** How long records have not come that are known to exist. Not thread-safe. */
public final class Silence {
  /** Why a reading ends that has been silent for too long. */
  static final String MESSAGE = Rereader.UNREADABLE + "Kafka does not answer";

  private static final Duration MOST = Duration.ofSeconds(30);

  private OptionalLong sinceNanos = OptionalLong.empty();

  /** Records came, or none are known to exist. */
  public void broken() {
    sinceNanos = OptionalLong.empty();
  }

  /** There was no record up to now; returns whether that has been so for too long. */
  public boolean isTooLong(long nowNanos) {
    if (sinceNanos.isEmpty()) {
      sinceNanos = OptionalLong.of(nowNanos);
    }
    return nowNanos - sinceNanos.getAsLong() > MOST.toNanos();
  }
}
