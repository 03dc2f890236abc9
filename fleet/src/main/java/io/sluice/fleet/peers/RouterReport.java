package io.sluice.fleet.peers;

import com.fasterxml.jackson.annotation.JsonIgnore;
import io.sluice.common.protocol.Json;
import io.sluice.common.protocol.Priority;
import io.soabase.recordbuilder.core.RecordBuilder;
import io.soabase.recordbuilder.core.RecordBuilder.BuilderMode;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.OptionalDouble;
import java.util.OptionalLong;

/**
 * A router's report, published every second, for people who watch the pool and for other routers.
 *
 * @param id the router
 * @param waiting the requests that wait in it, by lane and priority; without empty entries
 * @param promptFactors by model, the ratio of counted to estimated prompt tokens that the router
 *     has learned itself
 * @param lanes the names of the pool's lanes as the router knows them
 * @param tiers the names of the pool's tiers as the router knows them; empty without tiers
 * @param partitions the partitions whose requests the router schedules
 * @param partitionsOfPool the number of partitions of the pool; 0 if the router does not tell
 * @param demand what its open requests ask of workers; without empty entries
 */
public record RouterReport(
    String id,
    List<Waiting> waiting,
    Map<String, Double> promptFactors,
    List<String> lanes,
    List<String> tiers,
    List<Integer> partitions,
    int partitionsOfPool,
    List<Demand> demand) {

  /** Replaces the fields that an older peer did not send by empty values. */
  @SuppressWarnings("ConstantValue") // absent JSON fields arrive as null
  public RouterReport {
    Objects.requireNonNull(id, "id is missing");
    waiting = waiting == null ? List.of() : List.copyOf(waiting);
    promptFactors = promptFactors == null ? Map.of() : Map.copyOf(promptFactors);
    lanes = lanes == null ? List.of() : List.copyOf(lanes);
    tiers = tiers == null ? List.of() : List.copyOf(tiers);
    partitions = partitions == null ? List.of() : List.copyOf(partitions);
    demand = demand == null ? List.of() : List.copyOf(demand);
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

  /**
   * What the open requests of one model, tier and kind of traffic ask of workers. Tokens are
   * prompts and expected outputs together.
   *
   * @param tier the tier that suits the requests best; {@code none} if any may serve them
   * @param bulk whether they are bulk
   * @param waitingRequests the requests that wait for a worker, parked bulk included
   * @param runningRequests the requests that workers have
   * @param tokensPerSecond the tokens of the requests that were answered lately
   * @param neededTokensPerSecond the speed at which all of them end by their deadlines
   * @param slackMillis the time until the earliest deadline of those that wait; empty if none waits
   */
  @RecordBuilder
  @RecordBuilder.Options(builderMode = BuilderMode.STAGED_REQUIRED_ONLY, enableWither = false)
  public record Demand(
      String model,
      String tier,
      boolean bulk,
      long waitingRequests,
      long waitingTokens,
      long runningRequests,
      long runningTokens,
      double tokensPerSecond,
      double neededTokensPerSecond,
      OptionalLong slackMillis) {
    @SuppressWarnings("ConstantValue") // absent JSON fields arrive as null
    public Demand {
      Objects.requireNonNull(model, "model is missing");
      Objects.requireNonNull(tier, "tier is missing");
      slackMillis = slackMillis == null ? OptionalLong.empty() : slackMillis;
    }

    /**
     * Returns the time to answer all waiting requests at the present speed; empty if none was
     * answered lately.
     */
    public OptionalDouble drainSeconds() {
      return drainSeconds(waitingTokens, tokensPerSecond);
    }

    /** Returns the time to answer tokens at a speed; empty if they never would be. */
    public static OptionalDouble drainSeconds(long tokens, double perSecond) {
      if (tokens == 0) {
        return OptionalDouble.of(0);
      }
      return perSecond > 0 ? OptionalDouble.of(tokens / perSecond) : OptionalDouble.empty();
    }

    /** Returns whether nothing is open and nothing was answered lately. */
    @JsonIgnore
    public boolean isEmpty() {
      return waitingRequests == 0 && runningRequests == 0 && tokensPerSecond == 0;
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
