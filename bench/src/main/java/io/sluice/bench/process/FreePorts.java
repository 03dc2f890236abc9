package io.sluice.bench.process;

import io.sluice.standalone.backend.BackendStartException;
import io.sluice.standalone.backend.LocalPort;
import java.util.random.RandomGenerator;

/**
 * Finds ports that stay free while the process that uses them is down. They are below the range
 * that systems use for outgoing connections. Not thread-safe.
 */
public final class FreePorts {
  private static final int FIRST = 15_000;
  private static final int LAST = 30_000;

  private int next = RandomGenerator.getDefault().nextInt(FIRST, LAST);

  /** A port on which no process listens and that was not returned before. */
  public int next() {
    for (int tried = FIRST; tried < LAST; tried++) {
      next = next + 1 < LAST ? next + 1 : FIRST;
      try {
        return LocalPort.settle(next, "the pool");
      } catch (BackendStartException e) {
        // The port is in use.
      }
    }
    throw new BackendStartException(
        "no port from %d to %d is free; stop the processes that use them".formatted(FIRST, LAST));
  }
}
