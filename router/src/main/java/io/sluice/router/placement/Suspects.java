package io.sluice.router.placement;

import io.sluice.common.protocol.LeaseRef;
import io.sluice.router.queue.RequestKind;
import io.sluice.router.request.RequestMetadata;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentMap;
import java.util.stream.Stream;

/**
 * The suspects of one task: requests during which a worker died, or may have, before they gave a
 * token. One of them may have killed it, and the others only shared the worker. Until its first
 * token a suspect therefore gets a worker to which nothing else is sent, neither another suspect
 * nor a possible new killer, so that a death has only one possible cause. If several routers send
 * suspects to one worker at once, the worker hands back all but one. Only a few suspects of a kind
 * wait in the queue at a time, so that they do not block the requests behind them; those of a kind
 * that no worker serves do not hold up others. Not thread-safe; the state shared with other tasks
 * is.
 */
public final class Suspects {
  /** The maximum per task and kind, waiting in the queue or with a worker. */
  static final int MOST_IN_PLAY = 4;

  private final ConcurrentMap<String, String> byWorker;
  private final Map<String, List<LeaseRef>> known = new HashMap<>();
  private final Map<String, RequestKind> inPlay = new HashMap<>();
  private final Map<String, String> workers = new HashMap<>();

  /**
   * Creates an empty set.
   *
   * @param byWorker the suspects at all workers, shared by all tasks of the process
   */
  public Suspects(ConcurrentMap<String, String> byWorker) {
    this.byWorker = byWorker;
  }

  /** A worker died during a request before this task started. The lease is not known. */
  public void add(String requestId) {
    known.putIfAbsent(requestId, List.of());
  }

  /** A worker died during a request, or may have. */
  public void add(String requestId, LeaseRef lease) {
    known.merge(
        requestId,
        List.of(lease),
        (before, next) -> Stream.concat(before.stream(), next.stream()).distinct().toList());
  }

  /** Returns the leases during which workers may have died, the last one last. */
  public List<LeaseRef> causes(String requestId) {
    return known.getOrDefault(requestId, List.of());
  }

  /** The worker of a lease is alive. */
  public void remove(String requestId, LeaseRef lease) {
    known.computeIfPresent(
        requestId,
        (same, leases) -> leases.stream().filter(other -> !other.equals(lease)).toList());
  }

  public boolean contains(String requestId) {
    return known.containsKey(requestId);
  }

  /**
   * Returns whether a request may wait for a worker now. If not, a suspect has to come back later.
   */
  public boolean mayWait(RequestMetadata metadata) {
    String requestId = metadata.requestId();
    if (!contains(requestId) || inPlay.containsKey(requestId)) {
      return true;
    }
    RequestKind kind = RequestKind.of(metadata);
    boolean isRoom = Collections.frequency(inPlay.values(), kind) < MOST_IN_PLAY;
    if (isRoom) {
      inPlay.put(requestId, kind);
    }
    return isRoom;
  }

  /** Returns whether a request must avoid a worker because another suspect is there. */
  boolean mustAvoid(String requestId, String worker) {
    return !byWorker.getOrDefault(worker, requestId).equals(requestId);
  }

  /** Places a request at a worker. Returns whether that is allowed. */
  public boolean tryPlace(RequestMetadata metadata, String worker) {
    String requestId = metadata.requestId();
    if (!contains(requestId)) {
      return true;
    }
    notPlaced(requestId);
    String there = byWorker.putIfAbsent(worker, requestId);
    boolean isPlaced = there == null || there.equals(requestId);
    if (isPlaced) {
      inPlay.put(requestId, RequestKind.of(metadata));
      workers.put(requestId, worker);
    }
    return isPlaced;
  }

  /** The lease of a request has ended, or the request no longer waits. */
  public void left(String requestId) {
    inPlay.remove(requestId);
    notPlaced(requestId);
  }

  /** The worker does not get the request after all. */
  void notPlaced(String requestId) {
    String worker = workers.remove(requestId);
    if (worker != null) {
      byWorker.remove(worker, requestId);
    }
  }

  /** A request gave a token or has ended. */
  public void cleared(String requestId) {
    left(requestId);
    known.remove(requestId);
  }

  /** Releases this task's share of the common state. */
  public void close() {
    workers.forEach((requestId, worker) -> byWorker.remove(worker, requestId));
    workers.clear();
  }
}
