package io.sluice.simulator.engine;

/** Receives the tokens of a step without an object per token. */
@FunctionalInterface
public interface TokenListener {

  /**
   * Called with one token.
   *
   * @param sequence the sequence with this token counted; finished if it was the last one
   * @param endNanos the end of the step, when the token exists, on the engine's clock
   */
  void onToken(LiveSequence sequence, int tokenId, long endNanos);
}
