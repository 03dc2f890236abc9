package io.sluice.simulator.engine.timing;

/**
 * The computation in a step.
 *
 * @param prefillTokens the number of prompt tokens
 * @param prefillReads the KV-cache tokens that the prompt tokens attend to, summed over them: half
 *     of the square of the length for a prompt that is computed in one step
 * @param decodeSequences the number of decoding sequences, with a token each
 * @param decodeReads the KV-cache tokens that decoding sequences attend to, summed over them
 */
public record StepWork(
    double prefillTokens, double prefillReads, double decodeSequences, double decodeReads) {

  /** Returns a step that only decodes. */
  public static StepWork decode(double sequences, double reads) {
    return new StepWork(0, 0, sequences, reads);
  }

  /**
   * Returns the number of KV-cache tokens that {@code tokens} prompt tokens attend to if {@code
   * before} tokens were computed before them.
   */
  public static double reads(double tokens, double before) {
    return tokens * (before + tokens / 2);
  }
}
