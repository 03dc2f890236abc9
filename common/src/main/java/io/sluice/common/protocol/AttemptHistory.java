package io.sluice.common.protocol;

import java.io.IOException;
import java.util.List;
import java.util.Optional;

/**
 * What became of the attempts at a request, as a dead letter tells it in JSON.
 *
 * @param attempts how many were made in all
 * @param tokens output tokens in the log
 * @param last the latest of those that ended without an answer, oldest first; at most {@link #KEPT}
 */
public record AttemptHistory(int attempts, int tokens, List<PastAttempt> last) {
  /** A request that is handed back again and again must not grow for ever. */
  public static final int KEPT = 20;

  /** Of a request that nobody tried. */
  public static final AttemptHistory NONE = new AttemptHistory(0, 0, List.of());

  @SuppressWarnings("ConstantValue") // absent JSON fields arrive as null
  public AttemptHistory {
    last = last == null ? List.of() : List.copyOf(last);
  }

  /** The history as JSON. */
  public String toJson() {
    return Json.text(this);
  }

  /** Reads a history; empty if it is none that this version knows. */
  @SuppressWarnings("ConstantValue") // absent JSON fields arrive as null
  public static Optional<AttemptHistory> parse(String json) {
    try {
      AttemptHistory history = Json.mapper().readValue(json, AttemptHistory.class);
      boolean isWhole =
          history != null
              && history.last().stream()
                  .allMatch(past -> past.worker() != null && past.end() != null);
      return isWhole ? Optional.of(history) : Optional.empty();
    } catch (IOException e) {
      return Optional.empty();
    }
  }
}
