package io.sluice.simulator.engine;

import java.util.Optional;

/** A read-only view of a sequence in its engine. Read it only during calls of the engine. */
public interface LiveSequence {

  /** Returns the request. */
  SequenceRequest request();

  /** Returns the number of tokens generated so far. */
  int outputTokens();

  /** Returns the time at which it was first scheduled, on the engine's clock. */
  long scheduledNanos();

  /** Returns the number of its preemptions. */
  int preemptions();

  /** Returns the number of prompt tokens that its first admission found in the prefix cache. */
  int cachedTokens();

  /** Returns why it ended, if it has ended. */
  Optional<FinishReason> finish();
}
