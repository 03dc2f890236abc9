package io.sluice.common.protocol;

import io.soabase.recordbuilder.core.RecordBuilder;
import io.soabase.recordbuilder.core.RecordBuilder.BuilderMode;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Why a request was sent to its worker: one record of {@code sluice.decisions}, in JSON.
 *
 * @param atEpochMillis when the decision was made, by the router's clock
 * @param attempt the attempt of the request that this decision started
 * @param router the router that made the decision
 * @param model the requested model
 * @param tiers the acceptable tiers, best first; empty for any
 * @param promptTokens the number of prompt tokens that the model is expected to count
 * @param estimatedTokens the estimate before it was corrected by the model's earlier answers; 0 if
 *     it was not corrected
 * @param outputTokens the requested or assumed number of output tokens
 * @param waitedMillis the time since the request's append time
 * @param prefixWaitMillis how much of that time it could have been dispatched, but waited for a
 *     worker that had its prompt cached
 * @param chosen the worker that received the request
 * @param fallback whether that worker serves the fallback model
 * @param candidates the candidates, best first; in a large fleet only the best ones
 * @param ruledOut how many workers each filter ruled out, over the whole fleet
 */
@RecordBuilder
@RecordBuilder.Options(builderMode = BuilderMode.STAGED_REQUIRED_ONLY, enableWither = false)
public record RoutingDecision(
    String requestId,
    long atEpochMillis,
    int attempt,
    String router,
    String model,
    String lane,
    List<String> tiers,
    Priority priority,
    long promptTokens,
    long estimatedTokens,
    long outputTokens,
    long waitedMillis,
    long prefixWaitMillis,
    String chosen,
    boolean fallback,
    List<Candidate> candidates,
    Map<String, Integer> ruledOut) {

  /** Replaces the fields that another version did not send by empty values. */
  @SuppressWarnings("ConstantValue") // absent JSON fields arrive as null
  public RoutingDecision {
    tiers = tiers == null ? List.of() : List.copyOf(tiers);
    candidates = candidates == null ? List.of() : List.copyOf(candidates);
    ruledOut = ruledOut == null ? Map.of() : Map.copyOf(ruledOut);
  }

  /**
   * A worker that was considered.
   *
   * @param ruledOutBy the filter that ruled the worker out; empty if none did
   * @param score the weighted sum of its scores; 0 if it was ruled out
   * @param scores the score of each scorer, from 0 (worst) to 1 (best)
   */
  public record Candidate(
      String worker, Optional<String> ruledOutBy, double score, Map<String, Double> scores) {
    @SuppressWarnings("ConstantValue") // absent JSON fields arrive as null
    public Candidate {
      ruledOutBy = ruledOutBy == null ? Optional.empty() : ruledOutBy;
      scores = scores == null ? Map.of() : Map.copyOf(scores);
    }
  }

  /** Returns the decision as JSON. */
  public byte[] toJson() {
    return Json.bytes(this);
  }

  /** Parses a decision; empty if this version does not understand it. */
  @SuppressWarnings("ConstantValue") // absent JSON fields arrive as null
  public static Optional<RoutingDecision> parse(byte @Nullable [] json) {
    try {
      RoutingDecision decision = Json.mapper().treeToValue(Json.tree(json), RoutingDecision.class);
      boolean isWhole =
          decision != null && decision.requestId() != null && decision.chosen() != null;
      return isWhole ? Optional.of(decision) : Optional.empty();
    } catch (IOException e) {
      return Optional.empty();
    }
  }
}
