package io.sluice.standalone.verify.pressure;

import io.sluice.fleet.breaker.BreakerRules;
import io.sluice.standalone.verify.pool.EngineFigures;
import io.sluice.standalone.verify.pool.Finding;
import io.sluice.standalone.verify.pool.PoolWatch;
import io.sluice.standalone.verify.pool.PoolWatch.Seen;
import java.time.Duration;
import java.util.function.Supplier;

/**
 * Checks whether load on the engine from outside the pool opens the worker's memory breaker, as
 * routers observe it, and whether the breaker closes when the load is gone. For one thread.
 */
final class MemoryBreakerCheck {
  private static final BreakerRules RULES = BreakerRules.STANDARD;

  private static final Duration CALM_WITHIN = Duration.ofSeconds(60);
  private static final Duration FULL_WITHIN = Duration.ofSeconds(60);

  /** Far longer than it should take, so that a busy machine does not fail the check. */
  private static final Duration CHANGED_WITHIN = Duration.ofSeconds(30);

  private static final Duration MORE_WITHIN = Duration.ofSeconds(5);
  private static final int WATCHED_SNAPSHOTS = 12;

  private final PoolWatch watch;
  private final Supplier<DirectLoad> load;

  /** Creates a check; the load has to be enough to fill the engine's KV cache. */
  MemoryBreakerCheck(PoolWatch watch, Supplier<DirectLoad> load) {
    this.watch = watch;
    this.load = load;
  }

  /** Fills the engine and empties it. */
  Finding run() throws InterruptedException {
    if (!PoolWatch.becomesTrue(this::isCalm, CALM_WITHIN)) {
      return Finding.skipped(
          ("the engine must be idle and its breaker closed; after %d s it is %s and has %s of its"
                  + " KV cache in use")
              .formatted(
                  CALM_WITHIN.toSeconds(), watch.breaker().what().phase(), shown(watch.kvUsage())));
    }
    String opening;
    try (var _ = load.get()) {
      if (!PoolWatch.becomesTrue(() -> watch.kvUsage() > RULES.memoryOpenAbove(), FULL_WITHIN)) {
        return Finding.skipped(
            ("streams outside the pool fill only %s of the KV cache; start the engine without a small"
                    + " --max-num-seqs")
                .formatted(shown(watch.kvUsage())));
      }
      long fullNanos = System.nanoTime();
      if (!PoolWatch.becomesTrue(() -> watch.breaker().what().memory(), CHANGED_WITHIN)) {
        return Finding.broken(
            ("expected the breaker open by memory, as the KV cache is above %s; after %d s it is %s at"
                    + " %s")
                .formatted(
                    shown(RULES.memoryOpenAbove()),
                    CHANGED_WITHIN.toSeconds(),
                    watch.breaker().what().phase(),
                    shown(watch.kvUsage())));
      }
      opening = told("opened", watch.breaker(), fullNanos);
      if (watch.isClosed()) {
        return Finding.broken(
            "expected the worker to accept nothing new; its breaker is %s".formatted(opening));
      }
      awaitMoreOfIt();
    }
    return emptied(opening);
  }

  private boolean isCalm() {
    return watch.isClosed() && watch.engine().map(EngineFigures::isIdle).orElse(false);
  }

  /**
   * Gives the comparison of figures more samples of a full engine, and of preemptions if they occur
   * soon.
   */
  private void awaitMoreOfIt() throws InterruptedException {
    int told = watch.told().size();
    double preemptions = preemptions();
    var _ =
        PoolWatch.becomesTrue(
            () -> watch.told().size() >= told + WATCHED_SNAPSHOTS && preemptions() > preemptions,
            MORE_WITHIN);
  }

  private double preemptions() {
    return watch.engine().map(EngineFigures::preemptions).orElse(0.0);
  }

  private Finding emptied(String opening) throws InterruptedException {
    if (!PoolWatch.becomesTrue(() -> watch.kvUsage() < RULES.memoryCloseBelow(), FULL_WITHIN)) {
      return Finding.broken(
          ("expected the engine to drop streams whose clients have disconnected; after %d s %s of its KV"
                  + " cache is in use")
              .formatted(FULL_WITHIN.toSeconds(), shown(watch.kvUsage())));
    }
    long emptyNanos = System.nanoTime();
    if (!PoolWatch.becomesTrue(watch::isClosed, CHANGED_WITHIN)) {
      return Finding.broken(
          "expected the breaker closed, as the KV cache is below %s; after %d s it is %s at %s"
              .formatted(
                  shown(RULES.memoryCloseBelow()),
                  CHANGED_WITHIN.toSeconds(),
                  watch.breaker().what().phase(),
                  shown(watch.kvUsage())));
    }
    return Finding.kept("%s; %s".formatted(opening, told("closed", watch.breaker(), emptyNanos)));
  }

  private String told(String what, Seen<?> change, long causeNanos) {
    boolean isOpening = what.equals("opened");
    return "%s at %s of the KV cache (%s %s) after %d ms"
        .formatted(
            what,
            shown(watch.kvUsage()),
            isOpening ? "above" : "below",
            shown(isOpening ? RULES.memoryOpenAbove() : RULES.memoryCloseBelow()),
            Math.max(0, Duration.ofNanos(change.nanos() - causeNanos).toMillis()));
  }

  private static String shown(double share) {
    return Math.round(share * 1_000) / 10.0 + "%";
  }
}
