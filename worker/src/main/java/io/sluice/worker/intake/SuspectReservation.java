package io.sluice.worker.intake;

import java.time.Duration;

/**
 * Keeps new requests off a worker while a suspect is not alone there: else it would go back, and
 * come again, for as long as others come. They need a token each until it is alone, which takes a
 * prefill; some take until their whole answer is there, and so nobody is kept off for longer than
 * that may be worth. Thread-safe.
 */
final class SuspectReservation {
  /** A suspect that had to go back is here again by then. */
  private static final Duration COMES_AGAIN = Duration.ofSeconds(2);

  /** So long others are kept off at most, and then let in for as long. */
  private static final Duration MOST = Duration.ofSeconds(15);

  private boolean isWanted;
  private long firstNanos;
  private long lastNanos;

  /** A suspect is here, and not alone. */
  synchronized void suspectWaits(long nowNanos) {
    if (!isWanted(nowNanos) || nowNanos - firstNanos > 2 * MOST.toNanos()) {
      firstNanos = nowNanos;
    }
    isWanted = true;
    lastNanos = nowNanos;
  }

  /** Whether others are to stay away. */
  synchronized boolean isActive(long nowNanos) {
    return isWanted(nowNanos) && nowNanos - firstNanos < MOST.toNanos();
  }

  private boolean isWanted(long nowNanos) {
    return isWanted && nowNanos - lastNanos < COMES_AGAIN.toNanos();
  }
}
