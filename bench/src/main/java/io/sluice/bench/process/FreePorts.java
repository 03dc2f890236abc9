package io.sluice.bench.process;

import io.sluice.standalone.backend.BackendStartException;
import io.sluice.standalone.backend.LocalPort;
import java.util.random.RandomGenerator;

/**
 * Ports that stay free while a process that is to listen there is down: below those that systems
 * give to outgoing connections. Not thread-safe.
 */
public final class FreePorts {
  private static final int FIRST = 15_000;
  private static final int LAST = 30_000;

  private int next = RandomGenerator.getDefault().nextInt(FIRST, LAST);

  /** A port that nobody listens on, and that was not given before. */
  public int next() {
    for (int tried = FIRST; tried < LAST; tried++) {
      next = next + 1 < LAST ? next + 1 : FIRST;
      try {
        return LocalPort.settle(next, "the pool");
      } catch (BackendStartException e) {
        // Somebody else's.
      }
    }
    throw new BackendStartException(
        "no port from %d to %d is free; stop what uses them".formatted(FIRST, LAST));
  }
}
