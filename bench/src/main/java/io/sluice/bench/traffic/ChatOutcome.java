package io.sluice.bench.traffic;

import java.util.OptionalDouble;
import java.util.OptionalLong;

/**
 * What one caller saw. Times are in milliseconds since the caller sent its request.
 *
 * @param endedNanos when it ended, by {@link System#nanoTime}
 * @param status the HTTP status; 0 if the connection broke
 * @param headMillis the time to the status
 * @param firstMillis the time to the first token
 * @param retryAfterMillis when a refusal says to try again
 * @param isWhole whether the answer came to its end
 */
public record ChatOutcome(
    long endedNanos,
    int status,
    double headMillis,
    OptionalDouble firstMillis,
    OptionalLong retryAfterMillis,
    boolean isWhole) {
  /** Returns whether the gateway had no room for it. */
  public boolean isRefused() {
    return status == 429;
  }

  /** Returns whether it is neither an answer nor a refusal that says when to try again. */
  public boolean isBad() {
    return !isWhole && !(isRefused() && retryAfterMillis.isPresent());
  }
}
