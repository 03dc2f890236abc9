package io.sluice.bench.fleet.compare;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.sluice.bench.fleet.run.RunResult;
import io.sluice.bench.stat.Interval;
import java.util.List;
import java.util.Locale;

/** Every run, and Sluice's differences to the others, as one JSON object. */
final class FleetJson {
  private static final ObjectMapper JSON = new ObjectMapper();

  /** What only failing engines bring about. */
  private static final List<String> OF_FAILURES = List.of("lost", "resumed", "longestGapMillis");

  /** What only a kill of all routers brings about. */
  private static final String OF_KILL = "uninformed";

  private FleetJson() {}

  static ObjectNode of(Experiment experiment, Capacity capacity, List<Cell> cells) {
    ObjectNode root = JSON.createObjectNode();
    root.put("trace", experiment.trace().name());
    root.put("profile", String.join(",", experiment.profiles()));
    root.put("max_model_len", experiment.kinds().getFirst().maxModelLen());
    root.put("max_num_seqs", experiment.kinds().getFirst().scheduling().maxNumSeqs());
    root.put("warm_up_seconds", experiment.length().warmUpNanos() / 1e9);
    root.put("measured_seconds", experiment.length().measuredNanos() / 1e9);
    ArrayNode capacities = root.putArray("capacity_requests_per_engine_second");
    capacity.perEngine().forEach(capacities::add);
    boolean hasFailures = experiment.failures().areAny();
    if (hasFailures) {
      root.put("failures", experiment.failures().count());
      root.put("failures_kind", experiment.failures().kind().name().toLowerCase(Locale.ROOT));
      root.put("restart_after_seconds", experiment.failures().restartAfter().toMillis() / 1e3);
    }
    ArrayNode all = root.putArray("cells");
    cells.forEach(cell -> add(all.addObject(), cell, hasFailures));
    return root;
  }

  private static ObjectNode run(RunResult result, boolean hasFailures) {
    ObjectNode run = JSON.valueToTree(result);
    if (!hasFailures) {
      run.remove(OF_FAILURES);
    }
    if (Double.isNaN(result.uninformed().after())) {
      run.remove(OF_KILL);
    }
    return run;
  }

  private static void add(ObjectNode json, Cell cell, boolean hasFailures) {
    json.put("engines", cell.engines());
    json.put("load", cell.load());
    json.put("requests_per_second", cell.requestsPerSecond());
    ObjectNode runs = json.putObject("runs");
    cell.runs()
        .forEach(
            (contestant, results) -> {
              ArrayNode all = runs.putArray(contestant.label());
              results.forEach(result -> all.add(run(result, hasFailures)));
            });
    if (!cell.runs().containsKey(Contestant.SLUICE)) {
      return;
    }
    ObjectNode against = json.putObject("sluice_against");
    for (Contestant other : cell.runs().keySet()) {
      if (!other.equals(Contestant.SLUICE)) {
        ObjectNode measures = against.putObject(other.label());
        for (Cell.Measure measure : Cell.Measure.values()) {
          Interval difference = cell.difference(other, measure);
          ObjectNode one = measures.putObject(measure.name().toLowerCase(Locale.ROOT));
          one.put("difference", difference.mean());
          // JSON has no infinity: a single run has no interval.
          if (Double.isFinite(difference.half())) {
            one.put("half_interval", difference.half());
          }
          one.put("verdict", cell.verdict(other, measure).name().toLowerCase(Locale.ROOT));
        }
      }
    }
  }
}
