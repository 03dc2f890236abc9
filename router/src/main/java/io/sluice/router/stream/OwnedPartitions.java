package io.sluice.router.stream;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.IntConsumer;

/** The partitions whose requests this process schedules now. Thread-safe. */
public final class OwnedPartitions {
  private final Set<Integer> owned = ConcurrentHashMap.newKeySet();
  private final IntConsumer onStart;

  /**
   * None yet.
   *
   * @param onStart called with each partition when its task starts; must not block
   */
  public OwnedPartitions(IntConsumer onStart) {
    this.onStart = onStart;
  }

  /** The partitions as they are now. */
  public Set<Integer> current() {
    return Set.copyOf(owned);
  }

  void started(int partition) {
    onStart.accept(partition);
    owned.add(partition);
  }

  void stopped(int partition) {
    owned.remove(partition);
  }
}
