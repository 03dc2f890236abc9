package io.sluice.bench.fleet.autoscale;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;

/**
 * How many workers KEDA and the HorizontalPodAutoscaler that it makes want: KEDA between none and
 * one, the other above. An average value, a tolerance of a tenth, no stabilization window upwards,
 * and one policy for each direction. Not thread-safe.
 */
final class ReplicaController {
  private static final double TOLERANCE = 0.1;

  private final Behavior behavior;
  private final Deque<Recommendation> recommendations = new ArrayDeque<>();
  private final Deque<Change> changes = new ArrayDeque<>();
  private long lastActiveNanos;

  /**
   * The settings of a ScaledObject.
   *
   * @param most {@code maxReplicaCount}
   * @param cooldown {@code cooldownPeriod}
   * @param stabilization {@code stabilizationWindowSeconds} of {@code scaleDown}
   */
  record Behavior(int most, Duration cooldown, Policy up, Policy down, Duration stabilization) {}

  /** At most this many pods are added, or removed, in a period. */
  record Policy(int pods, Duration period) {}

  private record Recommendation(long nanos, int replicas) {}

  private record Change(long nanos, int by) {}

  ReplicaController(Behavior behavior) {
    this.behavior = behavior;
  }

  /**
   * Returns how many there are to be.
   *
   * @param workers the metric divided by its target
   */
  int next(long nowNanos, int current, double workers) {
    if (workers > 0) {
      lastActiveNanos = nowNanos;
    }
    if (current == 0) {
      return workers > 0 ? 1 : 0;
    }
    if (nowNanos - lastActiveNanos > behavior.cooldown().toNanos()) {
      return 0;
    }
    boolean isNear = Math.abs(workers / current - 1) <= TOLERANCE;
    int wanted = Math.clamp(isNear ? current : (int) Math.ceil(workers), 1, behavior.most());
    recommendations.add(new Recommendation(nowNanos, wanted));
    int highest = highest(nowNanos);
    return wanted > current
        ? changed(nowNanos, current, Math.min(wanted, current + room(nowNanos, behavior.up(), 1)))
        : changed(
            nowNanos,
            current,
            Math.max(Math.min(highest, current), current - room(nowNanos, behavior.down(), -1)));
  }

  private int highest(long nowNanos) {
    long since = nowNanos - behavior.stabilization().toNanos();
    recommendations.removeIf(recommendation -> recommendation.nanos() < since);
    return recommendations.stream().mapToInt(Recommendation::replicas).max().orElse(0);
  }

  private int room(long nowNanos, Policy policy, int direction) {
    int used =
        changes.stream()
            .filter(change -> change.nanos() > nowNanos - policy.period().toNanos())
            .mapToInt(change -> Math.max(0, direction * change.by()))
            .sum();
    return Math.max(0, policy.pods() - used);
  }

  private int changed(long nowNanos, int current, int next) {
    if (next != current) {
      changes.add(new Change(nowNanos, next - current));
    }
    return next;
  }
}
