package io.sluice.bench.torture.faults;

import io.sluice.bench.torture.pool.PoolSetup;
import io.sluice.bench.torture.pool.Target;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * Limits which processes are disrupted at the same time to what the pool promises to survive: two
 * of three brokers, one router, all gateways but one, and half of the workers with their engines
 * stay undisturbed; a pool of one worker has no such half. A worker and its engine count as one. A
 * fault of more workers than that waits until no worker is disrupted. Thread-safe.
 */
public final class DisruptionBudget {
  private final int mostWorkers;
  private final List<Target> disrupted = new ArrayList<>();

  public DisruptionBudget(PoolSetup setup) {
    mostWorkers = Math.max(1, setup.workers() / 2);
  }

  /** Waits until the targets may be disrupted, and counts them as disrupted. */
  synchronized void disrupt(List<Target> targets) throws InterruptedException {
    while (!mayBeDisrupted(targets)) {
      wait();
    }
    disrupted.addAll(targets);
  }

  /** Counts the targets as recovered. */
  synchronized void recovered(List<Target> targets) {
    targets.forEach(disrupted::remove);
    notifyAll();
  }

  private boolean mayBeDisrupted(List<Target> targets) {
    return targets.stream().filter(DisruptionBudget::isOfWorker).count() > mostWorkers
        ? disrupted.stream().noneMatch(DisruptionBudget::isOfWorker)
        : targets.stream().allMatch(this::mayBeDisrupted);
  }

  private boolean mayBeDisrupted(Target target) {
    return switch (target.role()) {
      case BROKER, ROUTER, REDIS, GATEWAY ->
          disrupted.stream().noneMatch(other -> other.role() == target.role());
      case WORKER, ENGINE -> {
        Set<Integer> numbers = new HashSet<>();
        disrupted.stream()
            .filter(DisruptionBudget::isOfWorker)
            .forEach(other -> numbers.add(other.number()));
        yield !numbers.contains(target.number()) && numbers.size() < mostWorkers;
      }
    };
  }

  private static boolean isOfWorker(Target target) {
    return target.role() == Target.Role.WORKER || target.role() == Target.Role.ENGINE;
  }
}
