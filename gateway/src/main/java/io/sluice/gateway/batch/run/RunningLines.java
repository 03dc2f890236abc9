package io.sluice.gateway.batch.run;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/** The requests of one batch that are in the pool, until the batch ends. Thread-safe. */
final class RunningLines {
  private final Set<LinePool.Asked> running = ConcurrentHashMap.newKeySet();
  private volatile boolean isCancelled;
  private volatile boolean isStopped;

  /** Adds a request; it is cancelled or closed if all are. */
  void add(LinePool.Asked asked) {
    running.add(asked);
    if (isCancelled) {
      asked.cancel().run();
    }
    if (isStopped) {
      asked.close().run();
    }
  }

  /** Removes a request that has ended. */
  void remove(LinePool.Asked asked) {
    running.remove(asked);
  }

  /** Cancels all requests, and those that are added from now on. */
  void cancel() {
    isCancelled = true;
    running.forEach(asked -> asked.cancel().run());
  }

  /** Stops to read the answers. The pool continues with the requests. */
  void stop() {
    isStopped = true;
    running.forEach(asked -> asked.close().run());
  }

  /** Returns whether {@link #cancel} was called. */
  boolean isCancelled() {
    return isCancelled;
  }

  /** Returns whether {@link #stop} was called. */
  boolean isStopped() {
    return isStopped;
  }
}
