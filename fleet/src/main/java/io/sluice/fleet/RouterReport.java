package io.sluice.fleet;

import io.sluice.common.protocol.Json;
import io.sluice.common.protocol.Priority;
import java.util.List;
import java.util.Map;

/**
 * What a router says of itself, every second, to people who look at the pool, and to other routers.
 *
 * @param id the router
 * @param waiting what waits in it, by lane and priority; nothing that is empty
 * @param promptFactors by model, how many tokens its prompts come to for each that was estimated;
 *     those that it has learned itself
 */
public record RouterReport(String id, List<Waiting> waiting, Map<String, Double> promptFactors) {

  /** What an older peer does not send is empty. */
  @SuppressWarnings("ConstantValue") // absent JSON fields arrive as null
  public RouterReport {
    waiting = waiting == null ? List.of() : List.copyOf(waiting);
    promptFactors = promptFactors == null ? Map.of() : Map.copyOf(promptFactors);
  }

  /**
   * Requests of one lane and priority.
   *
   * @param requests how many of them wait
   * @param tokens their prompts and expected outputs together
   */
  public record Waiting(String lane, Priority priority, int requests, long tokens) {}

  String toJson() {
    return Json.text(this);
  }
}
