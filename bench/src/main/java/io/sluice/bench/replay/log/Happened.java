package io.sluice.bench.replay.log;

import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;

/**
 * What is recorded of a request after its arrival. What is empty has no record.
 *
 * @param end how it ended
 * @param ttftMillis the time from its append to its first token, in milliseconds
 * @param promptTokens the length of its prompt, as the engine counts it
 * @param cachedTokens how many of these came from the engine's prefix cache
 * @param outputTokens the length of its answer; of one that was cancelled, as far as it got
 * @param worker that answered it, or had it last
 * @param waitedMillis the time from its append to its first assignment, in milliseconds
 * @param endedMillis when its end was appended, in epoch milliseconds
 */
public record Happened(
    End end,
    OptionalLong ttftMillis,
    OptionalInt promptTokens,
    OptionalInt cachedTokens,
    OptionalInt outputTokens,
    Optional<String> worker,
    OptionalLong waitedMillis,
    OptionalLong endedMillis) {

  /** Of a request of which only the arrival is recorded. */
  public static final Happened NOTHING =
      new Happened(
          End.UNKNOWN,
          OptionalLong.empty(),
          OptionalInt.empty(),
          OptionalInt.empty(),
          OptionalInt.empty(),
          Optional.empty(),
          OptionalLong.empty(),
          OptionalLong.empty());

  /**
   * Returns whether an answer or an error of the pool is recorded, with which a model can be
   * compared.
   */
  public boolean isComparable() {
    return end == End.ANSWERED || end == End.REFUSED || end == End.FAILED;
  }
}
