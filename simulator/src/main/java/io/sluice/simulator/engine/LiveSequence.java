package io.sluice.simulator.engine;

import java.util.Optional;

/** A sequence as its engine knows it; a view, to be read inside the engine's calls only. */
public interface LiveSequence {

  /** Returns what was asked for. */
  SequenceRequest request();

  /** Returns the tokens generated so far. */
  int outputTokens();

  /** Returns when it was first scheduled, on the engine's clock. */
  long scheduledNanos();

  /** Returns how often it has been preempted. */
  int preemptions();

  /** Returns the prompt tokens that its first admission found in the prefix cache. */
  int cachedTokens();

  /** Returns why it ended, once it has. */
  Optional<FinishReason> finish();
}
