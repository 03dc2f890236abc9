package io.sluice.worker.intake;

import java.time.Duration;

/**
 * Reserves the worker for a suspect that waits to be alone. Otherwise the suspect would be returned
 * again and again as long as other requests come. The running requests usually need one prefill
 * each until they have a token and the suspect is alone. Some need their whole answer for that, so
 * a reservation is limited. Thread-safe.
 */
public final class SuspectReservation {
  /** A suspect that was returned is assigned again within this time. */
  private static final Duration COMES_AGAIN = Duration.ofSeconds(2);

  /** The longest reservation; after it others are admitted for as long. */
  private static final Duration MOST = Duration.ofSeconds(15);

  private boolean isWanted;
  private long firstNanos;
  private long lastNanos;

  /** Creates a reservation that nobody wants. */
  public SuspectReservation() {}

  /** A suspect is here and not alone. */
  public synchronized void suspectWaits(long nowNanos) {
    if (!isWanted(nowNanos) || nowNanos - firstNanos > 2 * MOST.toNanos()) {
      firstNanos = nowNanos;
    }
    isWanted = true;
    lastNanos = nowNanos;
  }

  /** A suspect is alone. Until its first token, others are refused for its sake anyway. */
  public synchronized void suspectEnters() {
    isWanted = false;
  }

  /** Whether other requests are refused. */
  public synchronized boolean isActive(long nowNanos) {
    return isWanted(nowNanos) && nowNanos - firstNanos < MOST.toNanos();
  }

  private boolean isWanted(long nowNanos) {
    return isWanted && nowNanos - lastNanos < COMES_AGAIN.toNanos();
  }
}
