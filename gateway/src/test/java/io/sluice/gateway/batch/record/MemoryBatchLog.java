package io.sluice.gateway.batch.record;

import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;

/** A log in memory with one partition, whose records pass through their JSON. */
public final class MemoryBatchLog implements BatchLog {
  private final BatchTable table = new BatchTable();
  private final List<Runnable> listeners = new CopyOnWriteArrayList<>();

  @Override
  public synchronized void append(BatchRecord record) {
    table.add(0, BatchFormat.parse(BatchFormat.toJson(record)).orElseThrow());
    listeners.forEach(Runnable::run);
  }

  /** Forgets the batches that were created before a time. */
  public synchronized void forgetBefore(Instant time) {
    table.forgetBefore(time);
  }

  @Override
  public void awaitCurrent() {
    // Everything is read at once.
  }

  @Override
  public Optional<Batch> find(String id) {
    return table.find(id);
  }

  @Override
  public List<Batch> ofTenant(String tenant) {
    return table.ofTenant(tenant);
  }

  @Override
  public List<Batch> unfinished(Set<Integer> partitions) {
    return table.unfinished(partitions::contains);
  }

  @Override
  public void onChange(Runnable task) {
    listeners.add(task);
  }
}
