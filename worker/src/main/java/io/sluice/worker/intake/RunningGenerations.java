package io.sluice.worker.intake;

import io.sluice.worker.evict.RunningRequest;
import io.sluice.worker.generation.Generation;
import io.sluice.worker.generation.StopReason;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Predicate;
import java.util.stream.Collectors;

/**
 * The generations of a worker, each on a virtual thread of its own. Thread-safe; only one thread
 * may start them.
 *
 * <p>INVARIANT: a generation is listed from before its thread starts until its thread ends.
 */
public final class RunningGenerations {
  private final Map<String, Generation> byLease = new ConcurrentHashMap<>();
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition fewer = lock.newCondition();

  /** Starts a generation. */
  void start(Generation generation) {
    byLease.put(generation.lease().lease(), generation);
    Thread.ofVirtual()
        .name("generation-" + generation.lease().lease())
        .start(() -> runAndRemove(generation));
  }

  /** Returns the generation of a lease. */
  Optional<Generation> ofLease(String lease) {
    return Optional.ofNullable(byLease.get(lease));
  }

  /** Returns all running generations. */
  Collection<Generation> all() {
    return List.copyOf(byLease.values());
  }

  /** Returns whether another generation runs that has no token in the log yet. */
  boolean hasUnprovenOthers(Generation one) {
    return byLease.values().stream().anyMatch(other -> !other.equals(one) && !other.isProven());
  }

  /** Returns the number of running generations. */
  public int count() {
    return byLease.size();
  }

  /**
   * Of this many slots, those that routers may count on. While a suspect is here, or the memory is
   * nearly full, nothing else is admitted, so all slots are taken. Otherwise routers that do not
   * know of it would send one request after the other only to get it back.
   */
  public int usable(int slots) {
    List<Generation> all = List.copyOf(byLease.values());
    boolean admitsOthers =
        all.stream().allMatch(running -> !running.isSuspect() && running.leavesMemory());
    return admitsOthers ? slots : all.size();
  }

  /** Returns the number of running generations per router that assigned them. */
  public Map<String, Integer> countPerRouter() {
    return byLease.values().stream()
        .collect(Collectors.groupingBy(Generation::router, Collectors.summingInt(any -> 1)));
  }

  /**
   * Returns the leases whose tokens span at least this time, and whose last token is not older than
   * that.
   */
  public Set<String> streamingFor(Duration time) {
    return byLease.values().stream()
        .filter(generation -> generation.hasStreamedFor(time))
        .map(generation -> generation.lease().lease())
        .collect(Collectors.toUnmodifiableSet());
  }

  /** Context tokens of all running generations. */
  public long contextTokens() {
    return byLease.values().stream().mapToLong(Generation::contextTokens).sum();
  }

  /** Prompt tokens of the generations without a first token. */
  public long waitingPromptTokens() {
    return byLease.values().stream().mapToLong(Generation::waitingPromptTokens).sum();
  }

  /**
   * Returns the running requests as the evictor sees them, without those that are being stopped.
   */
  public List<RunningRequest> runningRequests() {
    return byLease.values().stream()
        .flatMap(generation -> generation.asRunningRequest().stream())
        .toList();
  }

  /** Stops the generation of a lease, if it runs. */
  public void stop(String lease, StopReason reason) {
    ofLease(lease).ifPresent(generation -> generation.stop(reason));
  }

  /** Stops the generations that match. */
  public void stop(Predicate<Generation> which, StopReason reason) {
    byLease.values().stream().filter(which).forEach(generation -> generation.stop(reason));
  }

  /** Waits until no generation runs; returns whether that happened within the time. */
  public boolean awaitNone(Duration atMost) throws InterruptedException {
    long nanos = atMost.toNanos();
    lock.lock();
    try {
      while (!byLease.isEmpty() && nanos > 0) {
        nanos = fewer.awaitNanos(nanos);
      }
      return byLease.isEmpty();
    } finally {
      lock.unlock();
    }
  }

  private void runAndRemove(Generation generation) {
    try {
      generation.run();
    } finally {
      byLease.remove(generation.lease().lease());
      lock.lock();
      try {
        fewer.signalAll();
      } finally {
        lock.unlock();
      }
    }
  }
}
