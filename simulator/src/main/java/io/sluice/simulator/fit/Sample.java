package io.sluice.simulator.fit;

import io.sluice.simulator.engine.StepWork;

/**
 * A measured time and what was computed in it.
 *
 * @param kind what was timed
 * @param steps engine steps
 * @param prefillTokens prompt tokens computed in all of them
 * @param decodeSequences sequences that decoded, summed over the steps
 * @param kvTokens tokens of KV cache that those read, summed over the steps
 * @param millis how long it took
 */
public record Sample(
    Kind kind, int steps, int prefillTokens, int decodeSequences, double kvTokens, double millis) {

  /** What is timed. */
  enum Kind {
    /** A lone prompt, from its sending to its first token. */
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

  /** Returns what the prompt tokens read of the KV cache, in however many steps. */
  double prefillReads() {
    return StepWork.reads(prefillTokens, 0);
  }

  /** Returns what was computed in each step, if all were alike. */
  StepWork work() {
    return new StepWork(
        (double) prefillTokens / steps,
        prefillReads() / steps,
        (double) decodeSequences / steps,
        kvTokens / steps);
  }

  /** Returns whether what a request takes besides its steps is part of the time. */
  boolean wholeRequest() {
    return kind == Kind.PROMPT;
  }
}
