package io.sluice.bench.torture.faults;

import io.sluice.bench.torture.pool.PoolSetup;
import io.sluice.bench.torture.pool.Target;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * What may be disturbed at once, so that the pool is never asked for more than it promises: two of
 * three brokers, one router, and half of the workers with their engines stay well, unless there is
 * only one. A worker and its engine count as one. A blow at more workers than that waits until no
 * other is disturbed. Thread-safe.
 */
public final class Limits {
  private final int mostWorkers;
  private final List<Target> disturbed = new ArrayList<>();

  public Limits(PoolSetup setup) {
    mostWorkers = Math.max(1, setup.workers() / 2);
  }

  /** Waits until these may be disturbed, and counts them as such. */
  synchronized void disturb(List<Target> targets) throws InterruptedException {
    while (!mayBeDisturbed(targets)) {
      wait();
    }
    disturbed.addAll(targets);
  }

  /** They are well again. */
  synchronized void recovered(List<Target> targets) {
    targets.forEach(disturbed::remove);
    notifyAll();
  }

  private boolean mayBeDisturbed(List<Target> targets) {
    return targets.stream().filter(Limits::isOfWorker).count() > mostWorkers
        ? disturbed.stream().noneMatch(Limits::isOfWorker)
        : targets.stream().allMatch(this::mayBeDisturbed);
  }

  private boolean mayBeDisturbed(Target target) {
    return switch (target.role()) {
      case BROKER, ROUTER, REDIS ->
          disturbed.stream().noneMatch(other -> other.role() == target.role());
      case WORKER, ENGINE -> {
        Set<Integer> numbers = new HashSet<>();
        disturbed.stream().filter(Limits::isOfWorker).forEach(other -> numbers.add(other.number()));
        yield !numbers.contains(target.number()) && numbers.size() < mostWorkers;
      }
    };
  }

  private static boolean isOfWorker(Target target) {
    return target.role() == Target.Role.WORKER || target.role() == Target.Role.ENGINE;
  }
}
