package io.sluice.fleet;

import java.time.Duration;
import java.util.concurrent.CompletionStage;

/**
 * Permits to restart an engine, so that only a bounded number of a group of workers restart at the
 * same time. A permit belongs to a worker's id, so that its next process can renew it, and ends by
 * itself if its holder dies. All methods return at once; a returned stage fails, after a bounded
 * time, if the permits are not reachable. Thread-safe.
 */
public interface RestartPermits {

  /**
   * Takes a permit, or renews it.
   *
   * @param group the workers among which permits are counted, such as a tier
   * @param most how many workers of the group may hold one
   * @param life after which the permit ends unless it is renewed
   * @return whether the worker holds a permit now
   */
  CompletionStage<Boolean> hold(String group, String workerId, int most, Duration life);

  /** Gives a permit back. */
  CompletionStage<Void> release(String group, String workerId);
}
