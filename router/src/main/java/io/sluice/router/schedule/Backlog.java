package io.sluice.router.schedule;

import io.sluice.common.protocol.Priority;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * What waits in all tasks of this router process: bounds it, keeps bulk behind interactive requests
 * of the same kind even where they wait in different tasks, and tells the bulk feeder how much of
 * its own is still waiting. Thread-safe.
 */
public final class Backlog {
  private final int limit;
  private final AtomicInteger pending = new AtomicInteger();
  private final AtomicInteger bulk = new AtomicInteger();
  private final ConcurrentMap<PendingQueue.Group, Integer> preferred = new ConcurrentHashMap<>();

  /**
   * An empty backlog.
   *
   * @param limit how many requests may wait before new ones are refused
   */
  public Backlog(int limit) {
    this.limit = limit;
  }

  /** How many requests wait. */
  public int pending() {
    return pending.get();
  }

  /** How many of them are bulk. */
  public int pendingBulk() {
    return bulk.get();
  }

  boolean isFull() {
    return pending.get() >= limit;
  }

  /** Whether a request of this priority has to let others of its kind go first. */
  boolean mustYield(PendingQueue.Group group, Priority priority) {
    return priority == Priority.BULK && preferred.containsKey(group);
  }

  void added(PendingQueue.Group group, Priority priority) {
    count(group, priority, 1);
  }

  void removed(PendingQueue.Group group, Priority priority) {
    count(group, priority, -1);
  }

  private void count(PendingQueue.Group group, Priority priority, int by) {
    pending.addAndGet(by);
    if (priority == Priority.BULK) {
      bulk.addAndGet(by);
    } else {
      // Groups are named by requests: one in which nothing waits must not stay for ever.
      preferred.merge(group, by, (waiting, more) -> waiting + more == 0 ? null : waiting + more);
    }
  }
}
