package io.sluice.bench.fleet.autoscale;

import io.sluice.bench.fleet.sluice.SluiceFront;
import io.sluice.router.fleet.WorkerView;

/** What the number of workers follows. */
enum ScalingRule {
  /** The tokens of waiting and running requests, as {@code k8s/components/keda} does. */
  TOKENS("sluice"),
  RUNNING("running requests"),
  KV_USAGE("KV usage"),
  /** All workers, at all times. */
  FULL("always full"),
  /** A plan that knows all arrivals. */
  PLAN("clairvoyant");

  private static final double RUNNING_PER_WORKER = 128;
  private static final double KV_USAGE_PER_WORKER = 0.85;

  private final String label;

  ScalingRule(String label) {
    this.label = label;
  }

  String label() {
    return label;
  }

  /** Returns the metric divided by its target for one worker. */
  double workers(SluiceFront front, double tokensPerWorker) {
    return switch (this) {
      case TOKENS -> front.openTokens() / tokensPerWorker;
      case RUNNING ->
          front.fleet().workers().values().stream()
                  .map(WorkerView::snapshot)
                  .mapToDouble(worker -> worker.running() + worker.waiting())
                  .sum()
              / RUNNING_PER_WORKER;
      case KV_USAGE ->
          front.fleet().workers().values().stream()
                  .mapToDouble(view -> view.snapshot().kvUsage().orElse(0))
                  .sum()
              / KV_USAGE_PER_WORKER;
      case FULL, PLAN -> throw new IllegalStateException(this + " follows no metric");
    };
  }
}
