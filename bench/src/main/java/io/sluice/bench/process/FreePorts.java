package io.sluice.bench.process;

import io.sluice.standalone.backend.LocalPort;

/** Finds ports that stay free while the process that uses them is down. */
public final class FreePorts {
  /** A port on which no process listens and that was not returned before. */
  public int next() {
    return LocalPort.settle(0, "the pool");
  }
}
