package io.sluice.router.report;

import io.sluice.common.protocol.Lanes;
import io.sluice.common.protocol.Priority;
import io.sluice.common.time.RepeatingThread;
import io.sluice.fleet.peers.RouterReport;
import io.sluice.fleet.peers.RouterReports;
import io.sluice.router.catalog.PromptFactors;
import io.sluice.router.queue.Backlog;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reports every second the requests that wait in this router, for {@code top}; the capacity that
 * they need, for autoscalers; and what it has learned about the models' tokenizers. Also receives
 * what the other routers report. Thread-safe.
 */
public final class RouterReporter implements AutoCloseable {
  private static final Duration INTERVAL = Duration.ofSeconds(1);
  private static final Logger log = LoggerFactory.getLogger(RouterReporter.class);

  private final String router;
  private final Lanes lanes;
  private final List<String> tiers;
  private final Backlog backlog;
  private final Partitions partitions;
  private final RouterLoad load;
  private final Consumer<List<RouterReport.Demand>> meters;
  private final Signals signals;
  private final PromptFactors factors;
  private final RouterReports reports;
  private final RepeatingThread timer = new RepeatingThread("router-report");

  /**
   * The partitions of a pool.
   *
   * @param owned those whose requests this router schedules now
   * @param all the number of all
   */
  public record Partitions(Supplier<Set<Integer>> owned, int all) {}

  /**
   * Starts to report.
   *
   * @param meters receive the load of this router whenever it is reported
   * @param signals receive the reports of all routers
   */
  public RouterReporter(
      String router,
      Lanes lanes,
      List<String> tiers,
      Backlog backlog,
      Partitions partitions,
      RouterLoad load,
      Consumer<List<RouterReport.Demand>> meters,
      Signals signals,
      PromptFactors factors,
      RouterReports reports) {
    this.router = router;
    this.lanes = lanes;
    this.tiers = tiers;
    this.backlog = backlog;
    this.partitions = partitions;
    this.load = load;
    this.meters = meters;
    this.signals = signals;
    this.factors = factors;
    this.reports = reports;
    var _ = timer.repeat(Duration.ZERO, INTERVAL, this::report);
  }

  @Override
  public void close() {
    timer.close();
  }

  private void report() {
    // A partition that comes between the two is reported with its demand, or not at all.
    List<Integer> owned = List.copyOf(partitions.owned().get());
    List<RouterReport.Demand> demand = load.demand();
    meters.accept(demand);
    // A lost report does not matter, because the next one follows in a second.
    var _ =
        reports
            .publish(
                new RouterReport(
                    router,
                    waiting(),
                    factors.learned(),
                    lanes.names(),
                    tiers,
                    owned,
                    partitions.all(),
                    demand.stream().filter(part -> !part.isEmpty()).toList()))
            .thenCompose(published -> reports.read())
            .thenAccept(this::hear)
            .exceptionally(
                failure -> {
                  log.debug("event=report_failed reason=\"{}\"", failure.getMessage());
                  return null;
                });
  }

  private void hear(List<RouterReports.Reading> all) {
    factors.hear(all.stream().map(reading -> reading.report().promptFactors()).toList());
    signals.heard(all);
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
