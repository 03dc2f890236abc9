package io.sluice.simulator.engine;

/** The tokens that the model samples for one sequence. */
@FunctionalInterface
public interface TokenSource {

  /** Returns the id of the next output token. */
  int next();
}
