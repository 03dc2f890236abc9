package io.sluice.simulator.fit;

import io.sluice.simulator.engine.timing.StepWork;

/**
 * A measured time and the computation in it.
 *
 * @param kind what was timed
 * @param steps the number of engine steps
 * @param prefillTokens the prompt tokens computed in all of them
 * @param decodeSequences the number of decoding sequences, summed over the steps
 * @param kvTokens the KV-cache tokens that the decoding sequences read, summed over the steps
 * @param millis the measured time
 */
public record Sample(
    Kind kind, int steps, int prefillTokens, int decodeSequences, double kvTokens, double millis) {

  /** What is timed. */
  enum Kind {
    /** Returns a single prompt, from sending it to its first token. */
    PROMPT,
    /** A step in which all sequences decode. */
    DECODE
  }

  static Sample prompt(int tokens, int maxNumBatchedTokens, double millis) {
    return new Sample(Kind.PROMPT, Math.ceilDiv(tokens, maxNumBatchedTokens), tokens, 0, 0, millis);
  }

  static Sample decode(int sequences, double kvTokens, double millis) {
    return new Sample(Kind.DECODE, 1, 0, sequences, kvTokens, millis);
  }

  /** Returns the number of KV-cache tokens that the prompt tokens read, for any number of steps. */
  double prefillReads() {
    return StepWork.reads(prefillTokens, 0);
  }

  /** Returns the computation of each step, if all steps were equal. */
  StepWork work() {
    return new StepWork(
        (double) prefillTokens / steps,
        prefillReads() / steps,
        (double) decodeSequences / steps,
        kvTokens / steps);
  }

  /** Returns whether the time includes the time of a request in addition to its steps. */
  public boolean wholeRequest() {
    return kind == Kind.PROMPT;
  }
}
