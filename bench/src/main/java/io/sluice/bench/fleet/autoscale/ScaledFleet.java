package io.sluice.bench.fleet.autoscale;

import io.sluice.bench.fleet.run.FleetRun;
import io.sluice.bench.fleet.sluice.SluiceFront;
import io.sluice.bench.fleet.sluice.VirtualWorker;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Optional;

/**
 * The pods of a StatefulSet: a started one is ready after a while, the one that was started last
 * leaves first, and drains before. Counts the time of their GPUs. Not thread-safe.
 */
final class ScaledFleet {
  private final FleetRun run;
  private final SluiceFront front;
  private final Duration start;
  private final Deque<Pod> pods = new ArrayDeque<>();
  private final List<Pod> leaving = new ArrayList<>();
  private long podNanos;
  private long countedNanos;

  private static final class Pod {
    private Optional<VirtualWorker> worker = Optional.empty();
    private boolean isRemoved;
  }

  /**
   * Creates a fleet of ready workers.
   *
   * @param workers those of the front
   * @param start the time from the start of a pod until its worker takes requests
   */
  ScaledFleet(FleetRun run, SluiceFront front, List<VirtualWorker> workers, Duration start) {
    this.run = run;
    this.front = front;
    this.start = start;
    for (VirtualWorker worker : workers) {
      Pod pod = new Pod();
      pod.worker = Optional.of(worker);
      pods.addLast(pod);
    }
  }

  /** Returns how many are started or ready. */
  int replicas() {
    return pods.size();
  }

  void scaleTo(int replicas) {
    count();
    while (pods.size() < replicas) {
      Pod pod = new Pod();
      pods.addLast(pod);
      run.time().at(run.time().nowNanos() + start.toNanos(), () -> ready(pod));
    }
    while (pods.size() > replicas) {
      Pod pod = pods.removeLast();
      pod.isRemoved = true;
      pod.worker.ifPresent(
          worker -> {
            worker.leave();
            leaving.add(pod);
          });
    }
  }

  private void ready(Pod pod) {
    if (!pod.isRemoved) {
      pod.worker = Optional.of(front.join(run.addEngine()));
    }
  }

  /** Counts the time until now. Call this once a second. */
  void count() {
    long now = run.time().nowNanos();
    podNanos += (now - countedNanos) * (pods.size() + leaving.size());
    countedNanos = now;
    leaving.removeIf(pod -> pod.worker.filter(VirtualWorker::isGone).isPresent());
  }

  /** Returns the time for which pods had a GPU. */
  double gpuHours() {
    return podNanos / 3.6e12;
  }
}
