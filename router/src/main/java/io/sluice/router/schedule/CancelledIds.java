package io.sluice.router.schedule;

import java.nio.charset.StandardCharsets;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Of which requests the {@link EarlyCancels} of all tasks of this process keep a cancel: what waits
 * in the bulk topic until there is room for it has not come for its task, but need not wait to be
 * cancelled. Ids are known by their hashes, for there are many parked requests; two of one hash,
 * which is as good as never, have both let in. Thread-safe.
 */
public final class CancelledIds {
  private record Place(int partition, long idHash) {}

  /** By how many tasks: one that moves to another thread may begin before the first has closed. */
  private final ConcurrentMap<Place, Integer> tasks = new ConcurrentHashMap<>();

  private final AtomicLong added = new AtomicLong();

  /** What an id is known by, in every process the same: 60 bits of its MD5. */
  public static long hash(String requestId) {
    return UUID.nameUUIDFromBytes(requestId.getBytes(StandardCharsets.UTF_8))
        .getMostSignificantBits();
  }

  /** A task keeps a cancel, which it did not keep before. */
  public void add(int partition, String requestId) {
    tasks.merge(new Place(partition, hash(requestId)), 1, Integer::sum);
    added.incrementAndGet();
  }

  /** A task that kept a cancel does so no more. */
  public void remove(int partition, String requestId) {
    tasks.computeIfPresent(
        new Place(partition, hash(requestId)), (any, known) -> known > 1 ? known - 1 : null);
  }

  /** Whether the task of this partition keeps a cancel for an id of this hash. */
  public boolean contains(int partition, long idHash) {
    return tasks.containsKey(new Place(partition, idHash));
  }

  /** How many there ever were; where it is what it was before, nothing was added since. */
  public long added() {
    return added.get();
  }
}
