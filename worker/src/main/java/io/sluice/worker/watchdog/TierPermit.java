package io.sluice.worker.watchdog;

import io.sluice.fleet.FleetReading;
import io.sluice.fleet.RestartPermits;
import io.sluice.fleet.WorkerSnapshot;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A permit among the workers of a tier. There are as many as a share of the tier's workers, and at
 * least one. None is taken while as many other workers of the tier accept nothing, for whatever
 * reason. Without Redis there is none.
 */
public final class TierPermit implements Permit {
  /** How long a permit outlives its holder. */
  static final Duration LIFE = Duration.ofSeconds(60);

  private static final Duration ANSWER_BOUND = Duration.ofSeconds(10);
  private static final String NO_TIER = "-";
  private static final int PERCENT = 100;
  private static final Logger log = LoggerFactory.getLogger(TierPermit.class);

  private final RestartPermits permits;
  private final Supplier<CompletionStage<FleetReading>> fleet;
  private final Optional<String> tier;
  private final String workerId;
  private final int share;
  private boolean isHeld;

  /**
   * A permit that is not held.
   *
   * @param fleet reads the fleet
   * @param share of the tier's workers that may restart at once, in percent
   */
  public TierPermit(
      RestartPermits permits,
      Supplier<CompletionStage<FleetReading>> fleet,
      Optional<String> tier,
      String workerId,
      int share) {
    this.permits = permits;
    this.fleet = fleet;
    this.tier = tier;
    this.workerId = workerId;
    this.share = share;
  }

  @Override
  public synchronized boolean hold() throws InterruptedException {
    try {
      List<WorkerSnapshot> peers =
          get(fleet.get()).workers().stream().filter(worker -> worker.tier().equals(tier)).toList();
      int most = Math.max(1, peers.size() * share / PERCENT);
      long away =
          peers.stream().filter(peer -> !peer.id().equals(workerId) && !peer.accepting()).count();
      isHeld =
          (isHeld || away < most) && get(permits.hold(tier.orElse(NO_TIER), workerId, most, LIFE));
    } catch (ExecutionException | TimeoutException e) {
      log.warn("event=restart_permit_unknown worker={} reason=\"{}\"", workerId, e.toString());
    }
    return isHeld;
  }

  @Override
  public synchronized void release() throws InterruptedException {
    isHeld = false;
    try {
      get(permits.release(tier.orElse(NO_TIER), workerId));
    } catch (ExecutionException | TimeoutException e) {
      log.warn("event=restart_permit_kept worker={} reason=\"{}\"", workerId, e.toString());
    }
  }

  private static <T> T get(CompletionStage<T> stage)
      throws ExecutionException, TimeoutException, InterruptedException {
    return stage.toCompletableFuture().get(ANSWER_BOUND.toMillis(), TimeUnit.MILLISECONDS);
  }
}
