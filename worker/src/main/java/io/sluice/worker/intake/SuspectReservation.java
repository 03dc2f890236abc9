package io.sluice.worker.intake;

import java.time.Duration;
import java.util.HashMap;
import java.util.Map;

/**
 * Reserves the worker for suspects that wait to be alone. Otherwise a suspect would be handed back
 * again and again as long as other requests come. The running requests usually need one prefill
 * each until they have a token and the suspect is alone. Some need their whole answer for that, so
 * a reservation is limited. Thread-safe.
 */
public final class SuspectReservation {
  /** A suspect that was handed back is assigned again within this time. */
  private static final Duration COMES_AGAIN = Duration.ofSeconds(2);

  /** The longest reservation; after it others are admitted for as long. */
  private static final Duration MOST = Duration.ofSeconds(15);

  /** When each suspect that waits was last here, by the ids of their requests. */
  private final Map<String, Long> lastNanos = new HashMap<>();

  private long firstNanos;

  /** Creates a reservation that no request wants. */
  public SuspectReservation() {}

  /** A suspect is here and not alone. */
  public synchronized void suspectWaits(String requestId, long nowNanos) {
    if (!isWanted(nowNanos) || nowNanos - firstNanos > 2 * MOST.toNanos()) {
      firstNanos = nowNanos;
    }
    lastNanos.put(requestId, nowNanos);
  }

  /**
   * A suspect is alone. Until its first token, others are refused for its sake anyway. Other
   * suspects keep waiting.
   */
  public synchronized void suspectEnters(String requestId) {
    lastNanos.remove(requestId);
  }

  /** Returns whether other requests are refused. */
  public synchronized boolean isActive(long nowNanos) {
    return isWanted(nowNanos) && nowNanos - firstNanos < MOST.toNanos();
  }

  private boolean isWanted(long nowNanos) {
    lastNanos.values().removeIf(last -> nowNanos - last >= COMES_AGAIN.toNanos());
    return !lastNanos.isEmpty();
  }
}
