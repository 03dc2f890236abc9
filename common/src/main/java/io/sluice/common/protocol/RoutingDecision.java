package io.sluice.common.protocol;

import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Why a request went to its worker: one record of {@code sluice.decisions}, in JSON.
 *
 * @param atEpochMillis when it was decided, by the router's clock
 * @param attempt which attempt of the request this began
 * @param router who decided
 * @param model the model that was asked for
 * @param tiers the tiers that would do, the best one first; empty for any
 * @param promptTokens as many as the model is likely to make of the prompt
 * @param estimatedTokens the same before what its earlier answers say of the model; 0 where that
 *     does not apply
 * @param outputTokens requested or assumed
 * @param waitedMillis since the request's append time
 * @param chosen the worker that got it
 * @param fallback whether that worker serves the fallback model
 * @param candidates the workers that were in question, the best one first; of a large fleet only
 *     the best
 * @param ruledOut how many workers each filter ruled out, over the whole fleet
 */
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
    String chosen,
    boolean fallback,
    List<Candidate> candidates,
    Map<String, Integer> ruledOut) {

  /** What a newer or older router does not send is empty. */
  @SuppressWarnings("ConstantValue") // absent JSON fields arrive as null
  public RoutingDecision {
    tiers = tiers == null ? List.of() : List.copyOf(tiers);
    candidates = candidates == null ? List.of() : List.copyOf(candidates);
    ruledOut = ruledOut == null ? Map.of() : Map.copyOf(ruledOut);
  }

  /**
   * One worker that was in question.
   *
   * @param ruledOutBy the filter that ruled it out; empty if none did
   * @param score the weighted sum of its scores; 0 if it was ruled out
   * @param scores by scorer, each from 0, worst, to 1, best
   */
  public record Candidate(
      String worker, Optional<String> ruledOutBy, double score, Map<String, Double> scores) {
    @SuppressWarnings("ConstantValue") // absent JSON fields arrive as null
    public Candidate {
      ruledOutBy = ruledOutBy == null ? Optional.empty() : ruledOutBy;
      scores = scores == null ? Map.of() : Map.copyOf(scores);
    }
  }

  /** The decision as JSON. */
  public byte[] toJson() {
    return Json.bytes(this);
  }

  /** Reads a decision; empty if it is none that this version knows. */
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
