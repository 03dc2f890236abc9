package io.sluice.router.explain;

import io.sluice.common.protocol.Lanes;
import io.sluice.common.protocol.Priority;
import io.sluice.fleet.RouterReport;
import io.sluice.fleet.RouterReports;
import io.sluice.router.catalog.PromptFactors;
import io.sluice.router.queue.Backlog;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reports every second what waits in this router, for {@code top}, and what it has learned about
 * the models' tokenizers. Also receives what other routers have learned. Thread-safe.
 */
public final class RouterReporter implements AutoCloseable {
  private static final Duration INTERVAL = Duration.ofSeconds(1);
  private static final Logger log = LoggerFactory.getLogger(RouterReporter.class);

  private final String router;
  private final Lanes lanes;
  private final List<String> tiers;
  private final Backlog backlog;
  private final PromptFactors factors;
  private final RouterReports reports;
  private final ScheduledExecutorService timer =
      Executors.newSingleThreadScheduledExecutor(
          Thread.ofPlatform().daemon().name("router-report").factory());

  /** Starts to report. */
  public RouterReporter(
      String router,
      Lanes lanes,
      List<String> tiers,
      Backlog backlog,
      PromptFactors factors,
      RouterReports reports) {
    this.router = router;
    this.lanes = lanes;
    this.tiers = tiers;
    this.backlog = backlog;
    this.factors = factors;
    this.reports = reports;
    var _ =
        timer.scheduleWithFixedDelay(this::report, 0, INTERVAL.toMillis(), TimeUnit.MILLISECONDS);
  }

  @Override
  public void close() {
    timer.shutdownNow();
  }

  private void report() {
    // A lost report does not matter, because the next one follows in a second.
    var _ =
        reports
            .publish(new RouterReport(router, waiting(), factors.learned(), lanes.names(), tiers))
            .thenCompose(published -> reports.readAll())
            .thenAccept(all -> factors.hear(all.stream().map(RouterReport::promptFactors).toList()))
            .exceptionally(
                failure -> {
                  log.debug("event=report_failed reason=\"{}\"", failure.getMessage());
                  return null;
                });
  }

  private List<RouterReport.Waiting> waiting() {
    List<RouterReport.Waiting> all = new ArrayList<>();
    for (String lane : lanes.names()) {
      for (Priority priority : Priority.values()) {
        Backlog.Waits waits = backlog.waiting(lane, priority);
        if (waits.requests() > 0) {
          all.add(new RouterReport.Waiting(lane, priority, waits.requests(), waits.tokens()));
        }
      }
    }
    return all;
  }
}
