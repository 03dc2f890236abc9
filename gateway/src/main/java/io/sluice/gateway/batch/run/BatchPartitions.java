package io.sluice.gateway.batch.run;

import java.util.Set;

/** The partitions of {@code sluice.batches} whose batches this gateway runs. Thread-safe. */
public interface BatchPartitions {
  /** Returns the partitions at present. */
  Set<Integer> owned();

  /** Calls a task after each change; it must not block. */
  void onChange(Runnable task);
}
