package io.sluice.router.request;

import java.nio.charset.StandardCharsets;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Of which requests all tasks of this process keep an {@link EarlyControl}: what waits in the bulk
 * topic until there is room for it has not come for its task, but need not wait to be cancelled or
 * changed. Ids are known by their hashes, for there are many parked requests; two of one hash,
 * which is as good as never, have both let in. Thread-safe.
 */
public final class EarlyControlIds {
  private record Place(int partition, long idHash, boolean isCancel) {
    static Place of(int partition, EarlyControl control) {
      return new Place(partition, hash(control.requestId()), control.isCancel());
    }
  }

  /** By how many tasks: one that moves to another thread may begin before the first has closed. */
  private final ConcurrentMap<Place, Integer> tasks = new ConcurrentHashMap<>();

  private final AtomicLong added = new AtomicLong();

  /** What an id is known by, in every process the same: 60 bits of its MD5. */
  public static long hash(String requestId) {
    return UUID.nameUUIDFromBytes(requestId.getBytes(StandardCharsets.UTF_8))
        .getMostSignificantBits();
  }

  /** A task keeps what it did not keep before. */
  public void add(int partition, EarlyControl control) {
    tasks.merge(Place.of(partition, control), 1, Integer::sum);
    added.incrementAndGet();
  }

  /** A task that kept it does so no more. */
  public void remove(int partition, EarlyControl control) {
    tasks.computeIfPresent(
        Place.of(partition, control), (any, known) -> known > 1 ? known - 1 : null);
  }

  /** Whether the task of this partition keeps a cancel for an id of this hash. */
  public boolean isCancelled(int partition, long idHash) {
    return tasks.containsKey(new Place(partition, idHash, true));
  }

  /** Whether it keeps another deadline or priority for it, and no cancel. */
  public boolean isAmended(int partition, long idHash) {
    return tasks.containsKey(new Place(partition, idHash, false));
  }

  /** How many there ever were; where it is what it was before, nothing was added since. */
  public long added() {
    return added.get();
  }
}
