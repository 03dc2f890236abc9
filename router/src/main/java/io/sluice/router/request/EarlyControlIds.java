package io.sluice.router.request;

import java.nio.charset.StandardCharsets;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.atomic.AtomicLong;

/**
 * The requests for which any task of this process keeps an {@link EarlyControl}. A request that is
 * parked in the bulk topic has not arrived at its task, but it can be cancelled or changed there.
 * Ids are stored as hashes, because many requests are parked. If two ids share a hash, which
 * practically never happens, both requests are admitted. Thread-safe.
 */
public final class EarlyControlIds {
  private record Place(int partition, long idHash, boolean isCancel) {
    static Place of(int partition, EarlyControl control) {
      return new Place(partition, hash(control.requestId()), control.isCancel());
    }
  }

  /**
   * Counted per task: a task that moves to another thread may start before the old one has closed.
   */
  private final ConcurrentMap<Place, Integer> tasks = new ConcurrentHashMap<>();

  private final AtomicLong added = new AtomicLong();

  /** Returns the hash of an id, the same in every process: 60 bits of its MD5. */
  public static long hash(String requestId) {
    return UUID.nameUUIDFromBytes(requestId.getBytes(StandardCharsets.UTF_8))
        .getMostSignificantBits();
  }

  /** A task starts to keep a control. */
  public void add(int partition, EarlyControl control) {
    tasks.merge(Place.of(partition, control), 1, Integer::sum);
    added.incrementAndGet();
  }

  /** A task no longer keeps a control. */
  public void remove(int partition, EarlyControl control) {
    tasks.computeIfPresent(
        Place.of(partition, control), (any, known) -> known > 1 ? known - 1 : null);
  }

  /** Returns whether the task of this partition keeps a cancel for an id with this hash. */
  public boolean isCancelled(int partition, long idHash) {
    return tasks.containsKey(new Place(partition, idHash, true));
  }

  /** Returns whether it keeps another deadline or priority for the id, and no cancel. */
  public boolean isAmended(int partition, long idHash) {
    return tasks.containsKey(new Place(partition, idHash, false));
  }

  /** Returns the number of controls ever added. If it is unchanged, nothing was added since. */
  public long added() {
    return added.get();
  }
}
