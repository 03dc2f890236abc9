package io.sluice.router.explain;

import io.sluice.common.protocol.RoutingDecision;
import io.sluice.common.protocol.RoutingDecision.Candidate;
import io.sluice.common.protocol.RoutingDecisionBuilder;
import io.sluice.router.policy.Decision;
import io.sluice.router.policy.Decision.Reason;
import io.sluice.router.request.RequestMetadata;
import io.sluice.router.schedule.task.DispatchEvent;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/** Converts a decision to its record. */
final class Explanation {
  /** More do not help a reader, and a decision over a large fleet would be a large record. */
  private static final int SHOWN = 16;

  private static final Comparator<Reason> BEST_FIRST =
      Comparator.comparing((Reason reason) -> reason.ruledOutBy().isPresent())
          .thenComparing(Comparator.comparingDouble(Reason::score).reversed())
          .thenComparing(Reason::worker);

  private Explanation() {}

  static RoutingDecision of(DispatchEvent placed, String router) {
    RequestMetadata metadata = placed.metadata();
    Decision decision = placed.decision();
    List<Reason> reasons = decision.candidates();
    return RoutingDecisionBuilder.builder()
        .requestId(metadata.requestId())
        .atEpochMillis(placed.atEpochMillis())
        .attempt(placed.attempt())
        .router(router)
        .model(metadata.model())
        .lane(metadata.lane())
        .tiers(decision.request().tiers())
        .priority(metadata.priority())
        .promptTokens(metadata.promptTokens())
        .estimatedTokens(metadata.estimatedTokens())
        .outputTokens(metadata.outputTokens())
        .waitedMillis(placed.waitedMillis())
        .prefixWaitMillis(placed.prefixWaitMillis())
        .chosen(placed.worker())
        .fallback(placed.fallbackModel().isPresent())
        .candidates(
            reasons.stream().sorted(BEST_FIRST).limit(SHOWN).map(Explanation::candidate).toList())
        .ruledOut(ruledOut(reasons))
        .build();
  }

  private static Candidate candidate(Reason reason) {
    return new Candidate(reason.worker(), reason.ruledOutBy(), reason.score(), reason.scores());
  }

  private static Map<String, Integer> ruledOut(List<Reason> reasons) {
    return reasons.stream()
        .flatMap(reason -> reason.ruledOutBy().stream())
        .collect(Collectors.groupingBy(filter -> filter, Collectors.summingInt(any -> 1)));
  }
}
