package io.sluice.fleet;

import io.sluice.common.protocol.Json;
import io.sluice.common.protocol.Priority;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/**
 * A router's report, published every second, for people who watch the pool and for other routers.
 *
 * @param id the router
 * @param waiting the requests that wait in it, by lane and priority; without empty entries
 * @param promptFactors by model, the ratio of counted to estimated prompt tokens that the router
 *     has learned itself
 * @param lanes the names of the pool's lanes as the router knows them
 * @param tiers the names of the pool's tiers as the router knows them; empty without tiers
 */
public record RouterReport(
    String id,
    List<Waiting> waiting,
    Map<String, Double> promptFactors,
    List<String> lanes,
    List<String> tiers) {

  /** Replaces the fields that an older peer did not send by empty values. */
  @SuppressWarnings("ConstantValue") // absent JSON fields arrive as null
  public RouterReport {
    Objects.requireNonNull(id, "id is missing");
    waiting = waiting == null ? List.of() : List.copyOf(waiting);
    promptFactors = promptFactors == null ? Map.of() : Map.copyOf(promptFactors);
    lanes = lanes == null ? List.of() : List.copyOf(lanes);
    tiers = tiers == null ? List.of() : List.copyOf(tiers);
  }

  /** Creates the report of a router that does not tell its lanes and tiers. */
  public RouterReport(String id, List<Waiting> waiting, Map<String, Double> promptFactors) {
    this(id, waiting, promptFactors, List.of(), List.of());
  }

  /**
   * The waiting requests of one lane and priority.
   *
   * @param requests their number
   * @param tokens their prompts and expected outputs together
   */
  public record Waiting(String lane, Priority priority, int requests, long tokens) {
    public Waiting {
      Objects.requireNonNull(lane, "lane is missing");
      Objects.requireNonNull(priority, "priority is missing");
    }
  }

  /** Returns the lanes that any of these routers knows, in the routers' order. */
  public static List<String> lanesOf(List<RouterReport> routers) {
    return routers.stream().flatMap(router -> router.lanes().stream()).distinct().toList();
  }

  /** Returns the tiers that any of these routers knows, in the routers' order. */
  public static List<String> tiersOf(List<RouterReport> routers) {
    return routers.stream().flatMap(router -> router.tiers().stream()).distinct().toList();
  }

  String toJson() {
    return Json.text(this);
  }
}
