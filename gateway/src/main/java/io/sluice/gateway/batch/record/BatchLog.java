package io.sluice.gateway.batch.record;

import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * The log of all batches of a pool. Reading gives what this process has read of the log so far.
 * Thread-safe.
 */
public interface BatchLog {
  /**
   * Writes a record; returns when it is durable.
   *
   * @throws BatchLogException if that takes too long or fails
   */
  void append(BatchRecord record);

  /**
   * Waits until all that is durable now was read.
   *
   * @throws BatchLogException if that takes too long or fails
   */
  void awaitCurrent();

  /** Returns a batch. */
  Optional<Batch> find(String id);

  /** Returns the batches of a tenant, the newest first. */
  List<Batch> ofTenant(String tenant);

  /** Returns the batches of some partitions that have not ended, the oldest first. */
  List<Batch> unfinished(Set<Integer> partitions);

  /** Calls a task after each change, on the reading thread; it must not block. */
  void onChange(Runnable task);
}
