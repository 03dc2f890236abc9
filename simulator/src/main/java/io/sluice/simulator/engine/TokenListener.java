package io.sluice.simulator.engine;

/** Takes the tokens of a step without an object per token. */
@FunctionalInterface
public interface TokenListener {

  /**
   * Takes one token.
   *
   * @param sequence the sequence with this token counted; finished, if it was the last one
   * @param endNanos when the step ends, and the token exists, on the engine's clock
   */
  void onToken(LiveSequence sequence, int tokenId, long endNanos);
}
