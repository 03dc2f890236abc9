package io.sluice.simulator.engine;

/** What the model would sample for one sequence, token by token. */
@FunctionalInterface
public interface TokenSource {

  /** Returns the id of the next output token. */
  int next();
}
