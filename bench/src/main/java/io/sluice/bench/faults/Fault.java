package io.sluice.bench.faults;

import java.util.Locale;

/** A fault of an engine while it answers. */
enum Fault {
  /** SIGTERM to the first process only, as an orchestrator stops a container. */
  SIGTERM,
  /** SIGKILL to all of its processes. */
  KILLED,
  /** SIGKILL to the process that listens. */
  SERVER_KILLED,
  /** Only the process that schedules. */
  CORE_KILLED,
  /** Only the process that computes, which the scheduling one has started. */
  WORKER_KILLED,
  /** Stopped, and after some seconds continued. */
  FROZEN,
  /** More requests at once than its KV cache holds. */
  OUT_OF_BLOCKS,
  /** 500 requests at once. */
  CROWD,
  /** A client stops reading its stream for some seconds. */
  SLOW_READER;

  /** Returns the name in tables. */
  String label() {
    return name().toLowerCase(Locale.ROOT).replace('_', ' ');
  }

  /**
   * Returns whether nothing happens to the engine's processes: its clients are what it has to bear.
   */
  boolean isLoad() {
    return this == OUT_OF_BLOCKS || this == CROWD || this == SLOW_READER;
  }
}
