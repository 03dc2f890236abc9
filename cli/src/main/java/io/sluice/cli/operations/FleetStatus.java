package io.sluice.cli.operations;

import io.sluice.common.protocol.Priority;
import io.sluice.fleet.FleetReading;
import io.sluice.fleet.WorkerSnapshot;
import io.sluice.fleet.breaker.BreakerState;
import io.sluice.fleet.peers.RouterReport;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalInt;
import java.util.TreeMap;

/**
 * The state of the fleet at one moment, for people and scripts.
 *
 * @param workers by id
 * @param backlog the waiting requests of all routers, by lane and priority
 * @param routers the number of routers that report
 */
record FleetStatus(List<Worker> workers, List<RouterReport.Waiting> backlog, int routers) {
  private static final double MILLIS_PER_SECOND = 1000.0;

  /**
   * A worker.
   *
   * @param state {@code ready}, {@code draining} or {@code engine down}
   * @param breaker {@code closed}, {@code half open} or {@code open}, and why
   * @param running requests in its engine's batch; empty while the engine is down
   * @param waiting requests in its engine's queue; empty while the engine is down
   * @param held requests that it holds, of {@code slots}
   * @param tokensPerSecond output of its engine, by its batch and step time; empty if not measured,
   *     and while the engine is down
   */
  record Worker(
      String id,
      Optional<String> tier,
      List<String> models,
      List<String> lanes,
      String state,
      String breaker,
      OptionalDouble kvUsage,
      OptionalInt running,
      OptionalInt waiting,
      int held,
      int slots,
      OptionalDouble tokensPerSecond,
      String version) {

    static Worker of(WorkerSnapshot snapshot, BreakerState breaker) {
      double step = snapshot.pace().stepMillis();
      return new Worker(
          snapshot.id(),
          snapshot.tier(),
          snapshot.models(),
          snapshot.lanes(),
          stateOf(snapshot),
          breakerOf(breaker),
          snapshot.kvUsage(),
          ofLivingEngine(snapshot, snapshot.running()),
          ofLivingEngine(snapshot, snapshot.waiting()),
          snapshot.heldInAll(),
          snapshot.slots(),
          step > 0 && snapshot.engineUp()
              ? OptionalDouble.of(snapshot.running() * MILLIS_PER_SECOND / step)
              : OptionalDouble.empty(),
          snapshot.version());
    }

    /** An engine that does not answer says nothing: its snapshot has 0 where nothing is known. */
    private static OptionalInt ofLivingEngine(WorkerSnapshot snapshot, int figure) {
      return snapshot.engineUp() ? OptionalInt.of(figure) : OptionalInt.empty();
    }

    private static String breakerOf(BreakerState breaker) {
      String phase = lowerCase(breaker.phase());
      String causes = breaker.causesInWords();
      return causes.isEmpty() ? phase : phase + " (" + causes + ")";
    }

    private static String lowerCase(Enum<?> name) {
      return name.name().toLowerCase(Locale.ROOT).replace('_', ' ');
    }

    private static String stateOf(WorkerSnapshot snapshot) {
      if (!snapshot.engineUp()) {
        return "engine down";
      }
      return snapshot.draining() ? "draining" : "ready";
    }
  }

  /** Combines the state of workers and routers. */
  static FleetStatus of(FleetReading fleet, List<RouterReport> reports) {
    return new FleetStatus(
        fleet.workers().stream()
            .map(snapshot -> Worker.of(snapshot, fleet.breaker(snapshot.id())))
            .sorted(Comparator.comparing(Worker::id))
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
