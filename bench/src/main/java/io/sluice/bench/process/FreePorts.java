package io.sluice.bench.process;

import io.sluice.standalone.backend.LocalPort;

/** Ports that stay free while the process that uses them is down. */
public final class FreePorts {
  private FreePorts() {}

  /** Returns a port on which no process listens and that was not returned before. */
  public static int next() {
    return LocalPort.settle(0, "the pool");
  }
}
