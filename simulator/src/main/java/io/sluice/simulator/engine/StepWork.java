package io.sluice.simulator.engine;

/**
 * What is computed in a step.
 *
 * @param prefillTokens prompt tokens
 * @param prefillReads KV-cache tokens that those attend to, summed over them: half its square for a
 *     prompt that is computed at once
 * @param decodeSequences sequences that decode, a token each
 * @param decodeReads KV-cache tokens that those attend to, summed over them
 */
public record StepWork(
    double prefillTokens, double prefillReads, double decodeSequences, double decodeReads) {

  /** Returns a step of decoding only. */
  public static StepWork decode(double sequences, double reads) {
    return new StepWork(0, 0, sequences, reads);
  }

  /** Returns what so many tokens of a text attend to that has so many computed before them. */
  public static double reads(double tokens, double before) {
    return tokens * (before + tokens / 2);
  }
}
