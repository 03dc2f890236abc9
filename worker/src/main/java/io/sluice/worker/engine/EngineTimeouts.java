package io.sluice.worker.engine;

import java.time.Duration;

/**
 * Time limits on an engine.
 *
 * @param head from sending the request, connecting included, to the response's head, without
 *     queueing and prefill
 * @param firstToken for queueing and prefill
 * @param stall between tokens or parts of a whole answer, and for an error as a whole
 */
public record EngineTimeouts(Duration head, Duration firstToken, Duration stall) {
  /** The least time for tokens to come where the engine may withhold them. */
  private static final Duration WITHHELD = Duration.ofMinutes(10);

  /** Returns the limits for a streamed answer during which the engine may be silent. */
  public EngineTimeouts with(Silence silence) {
    EngineTimeouts tokens =
        silence.betweenTokens()
            ? new EngineTimeouts(head, atLeastWithheld(firstToken), atLeastWithheld(stall))
            : this;
    return silence.beforeHead() ? tokens.withLateHead() : tokens;
  }

  private EngineTimeouts withLateHead() {
    return new EngineTimeouts(head.plus(firstToken), firstToken, stall);
  }

  private static Duration atLeastWithheld(Duration limit) {
    return limit.compareTo(WITHHELD) < 0 ? WITHHELD : limit;
  }
}
