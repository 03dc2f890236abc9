package io.sluice.router.placement;

import io.sluice.common.protocol.LeaseRef;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentMap;
import java.util.stream.Stream;

/**
 * One task's requests at which a worker died, or may have, before they gave a token. One of them
 * may be what killed it, and the others only shared the worker; so until its first token each has a
 * worker to which nothing else is sent, neither another suspect nor what may be a new killer, and
 * who dies then dies of it alone. What several routers send at once the worker keeps apart. Few
 * wait in the queue at a time, so that they hold up nobody behind them. Not thread-safe; what it
 * shares with other tasks is.
 */
public final class Suspects {
  /** Of one task, waiting in the queue or with a worker. */
  static final int MOST_IN_PLAY = 4;

  private final ConcurrentMap<String, String> byWorker;
  private final Map<String, List<LeaseRef>> known = new HashMap<>();
  private final Set<String> inPlay = new HashSet<>();
  private final Map<String, String> workers = new HashMap<>();

  /**
   * None yet.
   *
   * @param byWorker the suspects at all workers, of all tasks of the process
   */
  public Suspects(ConcurrentMap<String, String> byWorker) {
    this.byWorker = byWorker;
  }

  /** A worker died at a request before this task was here; under which lease is not known. */
  public void add(String requestId) {
    known.putIfAbsent(requestId, List.of());
  }

  /** A worker died at a request, or may have. */
  public void add(String requestId, LeaseRef lease) {
    known.merge(
        requestId,
        List.of(lease),
        (before, next) -> Stream.concat(before.stream(), next.stream()).distinct().toList());
  }

  /** The leases under which workers may have died at a request, the last one last. */
  public List<LeaseRef> causes(String requestId) {
    return known.getOrDefault(requestId, List.of());
  }

  /** The worker of a lease lives. */
  public void remove(String requestId, LeaseRef lease) {
    known.computeIfPresent(
        requestId,
        (same, leases) -> leases.stream().filter(other -> !other.equals(lease)).toList());
  }

  public boolean contains(String requestId) {
    return known.containsKey(requestId);
  }

  /** Whether a request may wait for a worker now; a suspect may have to come again later. */
  public boolean mayWait(String requestId) {
    return !contains(requestId)
        || inPlay.contains(requestId)
        || (inPlay.size() < MOST_IN_PLAY && inPlay.add(requestId));
  }

  /** Whether a request has to stay away from a worker: a suspect is there, and another one. */
  boolean mustAvoid(String requestId, String worker) {
    return !byWorker.getOrDefault(worker, requestId).equals(requestId);
  }

  /** A worker is to get a request; tells whether it may. */
  public boolean tryPlace(String requestId, String worker) {
    if (!contains(requestId)) {
      return true;
    }
    notPlaced(requestId);
    String there = byWorker.putIfAbsent(worker, requestId);
    boolean isPlaced = there == null || there.equals(requestId);
    if (isPlaced) {
      inPlay.add(requestId);
      workers.put(requestId, worker);
    }
    return isPlaced;
  }

  /** A request's lease is over, or it waits no more. */
  public void left(String requestId) {
    inPlay.remove(requestId);
    notPlaced(requestId);
  }

  /** The worker does not get it after all. */
  void notPlaced(String requestId) {
    String worker = workers.remove(requestId);
    if (worker != null) {
      byWorker.remove(worker, requestId);
    }
  }

  /** A request gave a token, or is over. */
  public void cleared(String requestId) {
    left(requestId);
    known.remove(requestId);
  }

  /** Takes this task's share out of what it shares with other tasks. */
  public void close() {
    workers.forEach((requestId, worker) -> byWorker.remove(worker, requestId));
    workers.clear();
  }
}
