package io.sluice.worker.app;

import io.sluice.common.protocol.Lane;
import io.sluice.fleet.peers.RouterReport;
import io.sluice.worker.config.WorkerConfig;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Compares the worker's tier and lanes with those that the pool's routers report. A worker of
 * another tier or lane gets no requests, which would go unnoticed. A pool whose routers are not
 * there yet, or report neither, fits. Thread-safe.
 */
final class PoolFit {
  private static final Logger log = LoggerFactory.getLogger(PoolFit.class);

  private final WorkerConfig config;
  private final Supplier<CompletionStage<List<RouterReport>>> reports;
  private volatile List<String> reported = List.of();

  /**
   * @param reports reads the reports of the routers within a bounded time
   */
  PoolFit(WorkerConfig config, Supplier<CompletionStage<List<RouterReport>>> reports) {
    this.config = config;
    this.reports = reports;
  }

  /**
   * Blocks until Redis has answered, for seconds at most. Without Redis every worker fits.
   *
   * @throws IllegalStateException with everything that no router knows
   */
  void requireAtStart() {
    List<String> problems;
    try {
      problems = problems(reports.get().toCompletableFuture().join());
    } catch (CompletionException e) {
      log.debug("event=fit_unknown worker={} reason=\"{}\"", config.id(), e.getMessage());
      return;
    }
    if (!problems.isEmpty()) {
      throw new IllegalStateException(String.join("; ", problems));
    }
  }

  /** Writes one error when the routers that are there have come to know another pool. */
  void check() {
    var _ =
        reports
            .get()
            .thenAccept(
                found -> {
                  List<String> problems = problems(found);
                  if (!problems.equals(reported)) {
                    problems.forEach(this::report);
                    reported = problems;
                  }
                });
  }

  private void report(String problem) {
    log.error(
        "event=worker_unfit worker={} reason=\"{}\" effect=\"it gets no such requests\"",
        config.id(),
        problem);
  }

  private List<String> problems(List<RouterReport> routers) {
    List<String> problems = new ArrayList<>();
    List<String> tiers = RouterReport.tiersOf(routers);
    config
        .tier()
        .filter(tier -> !tiers.isEmpty() && !tiers.contains(tier))
        .ifPresent(tier -> problems.add(problem("--tier", tier, "tiers", tiers)));
    List<String> lanes = RouterReport.lanesOf(routers);
    String unknown =
        config.lanes().stream()
            .map(Lane::name)
            .filter(lane -> !lanes.isEmpty() && !lanes.contains(lane))
            .collect(Collectors.joining(","));
    if (!unknown.isEmpty()) {
      problems.add(problem("--lanes", unknown, "lanes", lanes));
    }
    return problems;
  }

  private static String problem(String flag, String value, String kind, List<String> known) {
    return "%s names '%s', but the %s of the pool's routers are %s"
        .formatted(flag, value, kind, String.join(", ", known));
  }
}
