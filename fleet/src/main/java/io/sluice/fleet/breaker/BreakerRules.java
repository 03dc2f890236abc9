package io.sluice.fleet.breaker;

import io.sluice.common.protocol.Json;

/**
 * The parameters of the transition table: one set for all writers, in Java and in Redis.
 *
 * @param memoryOpenAbove KV-cache usage, 0 to 1, above which the memory cause begins
 * @param memoryCloseBelow usage below which it ends: 0.9 of the former, as hysteresis
 * @param failures consecutive failures that open the circuit
 * @param openMillis how long it stays open the first time; doubled each time it opens again
 * @param longestOpenMillis the maximum of the open time
 * @param probes requests that a half-open breaker lets through at once, and that must succeed to
 *     close it
 * @param forgiveMillis after this long closed, the circuit opens for the shortest time again
 */
public record BreakerRules(
    double memoryOpenAbove,
    double memoryCloseBelow,
    int failures,
    long openMillis,
    long longestOpenMillis,
    int probes,
    long forgiveMillis) {

  /** The rules of every pool. */
  public static final BreakerRules STANDARD =
      new BreakerRules(0.88, 0.792, 5, 30_000, 300_000, 3, 600_000);

  /** Returns how long a circuit stays open that opens for the nth time. */
  long openMillis(int trips) {
    long millis = openMillis;
    for (int i = 1; i < trips && millis < longestOpenMillis; i++) {
      millis *= 2;
    }
    return Math.min(millis, longestOpenMillis);
  }

  /** Returns the rules as JSON, for the script. */
  public String toJson() {
    return Json.text(this);
  }
}
