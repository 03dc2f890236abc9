package io.sluice.bench.torture.pool;

/** What a network link does with bytes. */
public enum LinkState {
  OPEN,
  /** Nothing gets through for now; no connection is closed, and nothing is lost. */
  STALLED,
  /** Connections are reset, and new ones refused. */
  CUT
}
