package io.sluice.cli.doctor;

import io.sluice.cli.Counted;
import io.sluice.fleet.FleetReading;
import io.sluice.fleet.WorkerSnapshot;
import io.sluice.fleet.breaker.BreakerPhase;
import io.sluice.fleet.breaker.BreakerState;
import io.sluice.fleet.peers.RouterReport;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;

/** What a pool needs of its routers, workers and engines. */
final class FleetRules {
  private FleetRules() {}

  static List<Finding> findings(FleetReading fleet, List<RouterReport> routers) {
    List<Finding> findings = new ArrayList<>();
    findings.addAll(routers(routers));
    if (fleet.workers().isEmpty()) {
      findings.add(
          Finding.failure("workers", "none registers in Redis", "start a worker for each engine"));
    }
    List<String> lanes = RouterReport.lanesOf(routers);
    List<String> tiers = RouterReport.tiersOf(routers);
    for (WorkerSnapshot worker : fleet.workers()) {
      findings.add(worker(worker, fleet.breaker(worker.id()), lanes, tiers));
    }
    findings.addAll(lanes(fleet, lanes, routers));
    findings.addAll(versions(fleet));
    return findings;
  }

  private static List<Finding> routers(List<RouterReport> routers) {
    String ids = routers.stream().map(RouterReport::id).sorted().collect(Collectors.joining(", "));
    List<Finding> findings = new ArrayList<>();
    switch (routers.size()) {
      case 0 ->
          findings.add(
              Finding.failure(
                  "routers",
                  "none reports to Redis",
                  "start a router, or check its --redis and --pool"));
      case 1 ->
          findings.add(
              Finding.warning(
                  "routers", "one: " + ids, "start a second one: requests wait while it restarts"));
      default -> findings.add(Finding.ok("routers", routers.size() + ": " + ids));
    }
    if (differ(routers, RouterReport::lanes) || differ(routers, RouterReport::tiers)) {
      findings.add(
          Finding.failure(
              "routers",
              "their lanes or tiers differ",
              "give all routers the same --lanes and --tiers"));
    }
    return findings;
  }

  private static Finding worker(
      WorkerSnapshot worker, BreakerState breaker, List<String> lanes, List<String> tiers) {
    String part = "worker " + worker.id();
    if (!worker.engineUp()) {
      return Finding.failure(
          part, "its engine does not answer", "check the engine, and the worker's --engine-url");
    }
    if (breaker.phase() == BreakerPhase.OPEN) {
      return Finding.failure(
          part,
          "its breaker is open: " + breaker.causesInWords(),
          "see breakers in docs/architecture.md; ./sluice breaker closes one by hand");
    }
    if (worker.tier().filter(tier -> !tiers.isEmpty() && !tiers.contains(tier)).isPresent()) {
      return Finding.failure(
          part,
          "it has tier %s, and the routers have %s".formatted(worker.tier().get(), join(tiers)),
          "correct its --tier: it gets no requests");
    }
    if (!lanes.isEmpty() && !lanes.containsAll(worker.lanes())) {
      return Finding.failure(
          part,
          "it serves lanes %s, and the routers have %s"
              .formatted(join(worker.lanes()), join(lanes)),
          "correct its --lanes");
    }
    if (worker.draining()) {
      return Finding.warning(
          part, "it drains", "./sluice worker resume, unless it is to be stopped");
    }
    return Finding.ok(
        part,
        "%s, %d of %d requests"
            .formatted(join(worker.models()), worker.heldInAll(), worker.slots()));
  }

  private static List<Finding> lanes(
      FleetReading fleet, List<String> lanes, List<RouterReport> routers) {
    return lanes.stream()
        .filter(lane -> fleet.workers().stream().noneMatch(worker -> serves(worker, lane)))
        .map(lane -> unserved(lane, waiting(lane, routers)))
        .toList();
  }

  /** Pools have lanes for prompts that callers may never send. */
  private static Finding unserved(String lane, int waiting) {
    String part = "lane " + lane;
    return waiting > 0
        ? Finding.failure(
            part,
            "no worker serves it, with %s in it".formatted(Counted.of(waiting, "waiting request")),
            "start a worker for this lane; otherwise these requests expire")
        : Finding.warning(
            part,
            "no worker serves it",
            "start a worker that does, unless the pool gets no such long prompts");
  }

  private static int waiting(String lane, List<RouterReport> routers) {
    return routers.stream()
        .flatMap(router -> router.waiting().stream())
        .filter(waiting -> waiting.lane().equals(lane))
        .mapToInt(RouterReport.Waiting::requests)
        .sum();
  }

  private static boolean serves(WorkerSnapshot worker, String lane) {
    return worker.engineUp()
        && !worker.draining()
        && (worker.lanes().isEmpty() || worker.lanes().contains(lane));
  }

  private static List<Finding> versions(FleetReading fleet) {
    Set<String> versions =
        fleet.workers().stream()
            .map(WorkerSnapshot::version)
            .collect(Collectors.toCollection(LinkedHashSet::new));
    return versions.size() < 2
        ? List.of()
        : List.of(
            Finding.warning(
                "versions", "workers run " + join(versions), "finish the upgrade of the workers"));
  }

  private static String join(Collection<String> names) {
    return String.join(", ", names);
  }

  private static boolean differ(
      List<RouterReport> routers, Function<RouterReport, List<String>> names) {
    return routers.stream().map(names).filter(list -> !list.isEmpty()).distinct().count() > 1;
  }
}
