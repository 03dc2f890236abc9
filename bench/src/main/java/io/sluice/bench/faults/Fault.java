package io.sluice.bench.faults;

import java.util.Locale;

/** What happens to an engine while it answers. */
enum Fault {
  /** As an orchestrator stops its container: to the first process only. */
  SIGTERM,
  /** All its processes are killed. */
  KILLED,
  /** Only the process that listens. */
  SERVER_KILLED,
  /** Only the process that computes. */
  CORE_KILLED,
  /** Stopped, and after some seconds continued. */
  FROZEN;

  /** As it stands in tables. */
  String label() {
    return name().toLowerCase(Locale.ROOT).replace('_', ' ');
  }
}
