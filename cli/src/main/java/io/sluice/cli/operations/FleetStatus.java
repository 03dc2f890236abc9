package io.sluice.cli.operations;

import io.sluice.common.protocol.Priority;
import io.sluice.fleet.FleetReading;
import io.sluice.fleet.peers.RouterReport;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * The state of the fleet at one moment, for people and scripts.
 *
 * @param workers by id
 * @param backlog the waiting requests of all routers, by lane and priority
 * @param routers the number of routers that report
 */
record FleetStatus(List<WorkerStatus> workers, List<RouterReport.Waiting> backlog, int routers) {
  /** Combines the state of workers and routers. */
  static FleetStatus of(FleetReading fleet, List<RouterReport> reports) {
    return new FleetStatus(
        fleet.workers().stream()
            .map(snapshot -> WorkerStatus.of(snapshot, fleet.breaker(snapshot.id())))
            .sorted(Comparator.comparing(WorkerStatus::id))
            .toList(),
        backlog(reports),
        reports.size());
  }

  private static List<RouterReport.Waiting> backlog(List<RouterReport> reports) {
    record Kind(String lane, Priority priority) {}
    Map<Kind, RouterReport.Waiting> sums =
        new TreeMap<>(
            Comparator.comparing(Kind::priority)
                .thenComparingInt(kind -> kind.lane().length())
                .thenComparing(Kind::lane));
    for (RouterReport report : reports) {
      for (RouterReport.Waiting waiting : report.waiting()) {
        sums.merge(
            new Kind(waiting.lane(), waiting.priority()),
            waiting,
            (a, b) ->
                new RouterReport.Waiting(
                    a.lane(), a.priority(), a.requests() + b.requests(), a.tokens() + b.tokens()));
      }
    }
    return List.copyOf(sums.values());
  }
}
