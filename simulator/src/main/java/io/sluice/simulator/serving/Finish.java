package io.sluice.simulator.serving;

import io.sluice.simulator.engine.FinishReason;
import java.util.Optional;
import java.util.OptionalInt;

/**
 * How a choice ended.
 *
 * @param reason the finish reason
 * @param stopString the stop string that was met, if that is why, or the word for a repetition
 * @param stopToken the stop token that was met, if that is why; absent for the end of text
 */
public record Finish(FinishReason reason, Optional<String> stopString, OptionalInt stopToken) {

  /** Returns an end without a stop string or stop token. */
  public static Finish of(FinishReason reason) {
    return new Finish(reason, Optional.empty(), OptionalInt.empty());
  }

  /** Returns an end at a repetition, with what vLLM gives as its stop reason. */
  static Finish repeated() {
    return new Finish(
        FinishReason.REPETITION, Optional.of("repetition_detected"), OptionalInt.empty());
  }

  static Finish stoppedBy(String stop) {
    return new Finish(FinishReason.STOP, Optional.of(stop), OptionalInt.empty());
  }

  static Finish stoppedBy(int tokenId) {
    return new Finish(FinishReason.STOP, Optional.empty(), OptionalInt.of(tokenId));
  }
}
