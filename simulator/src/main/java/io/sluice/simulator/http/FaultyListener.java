package io.sluice.simulator.http;

import io.sluice.simulator.serving.ChoiceOutput;
import io.sluice.simulator.serving.OutputListener;

/** Lets a number of tokens through, then fails once and swallows the rest. */
final class FaultyListener implements OutputListener {

  private final OutputListener next;
  private final int tokens;
  private final Runnable failure;
  private int seen;

  /**
   * Creates the listener.
   *
   * @param tokens how many tokens go through; with 0 the failure comes in place of the first
   * @param failure runs on the driver's thread, after the last output that went through
   */
  FaultyListener(OutputListener next, int tokens, Runnable failure) {
    this.next = next;
    this.tokens = tokens;
    this.failure = failure;
  }

  @Override
  public void onOutput(ChoiceOutput output) {
    if (seen < tokens) {
      next.onOutput(output);
    }
    if (seen == tokens) {
      failure.run();
    }
    seen++;
  }
}
