package io.sluice.common.fleet;

import io.sluice.common.protocol.Json;
import io.sluice.common.protocol.Priority;
import java.util.List;

/**
 * What a router says of itself, every second, for people to look at: no decision rests on it.
 *
 * @param id the router
 * @param waiting what waits in it, by lane and priority; nothing that is empty
 */
public record RouterReport(String id, List<Waiting> waiting) {

  /** What an older peer does not send is empty. */
  @SuppressWarnings("ConstantValue") // absent JSON fields arrive as null
  public RouterReport {
    waiting = waiting == null ? List.of() : List.copyOf(waiting);
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
