package io.sluice.common.protocol;

import java.io.IOException;
import java.util.List;
import java.util.Optional;

/**
 * The attempts at a request, as its dead letter records them in JSON.
 *
 * @param attempts how many attempts were made in all
 * @param tokens output tokens in the reply log
 * @param last the latest attempts that ended without an answer, oldest first; at most {@link #KEPT}
 */
public record AttemptHistory(int attempts, int tokens, List<PastAttempt> last) {
  /** Bounds the history of a request that is handed back again and again. */
  public static final int KEPT = 20;

  /** The history of a request without attempts. */
  public static final AttemptHistory NONE = new AttemptHistory(0, 0, List.of());

  @SuppressWarnings("ConstantValue") // absent JSON fields arrive as null
  public AttemptHistory {
    last = last == null ? List.of() : List.copyOf(last);
  }

  /** Returns the history as JSON. */
  public String toJson() {
    return Json.text(this);
  }

  /** Parses a history; empty if this version does not understand it. */
  @SuppressWarnings("ConstantValue") // absent JSON fields arrive as null
  public static Optional<AttemptHistory> parse(String json) {
    try {
      AttemptHistory history = Json.mapper().readValue(json, AttemptHistory.class);
      return Optional.ofNullable(history);
    } catch (IOException e) {
      return Optional.empty();
    }
  }
}
