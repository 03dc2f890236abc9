package io.sluice.router.policy;

import java.util.Optional;

/** The scorers that the standard policy combines. */
final class Scorers {
  private Scorers() {}

  /** Prefers the worker with the largest share of free slots. */
  record Load() implements Scorer {
    @Override
    public String name() {
      return "load";
    }

    @Override
    public double score(RequestProfile request, Candidate candidate) {
      return Math.clamp(1.0 - candidate.load(), 0.0, 1.0);
    }
  }

  /** Prefers workers into which the prompt still fits when it was estimated somewhat too low. */
  record ContextMargin() implements Scorer {
    private static final double ESTIMATE_ERROR = 0.1;

    @Override
    public String name() {
      return "context_margin";
    }

    @Override
    public double score(RequestProfile request, Candidate candidate) {
      double most = request.promptTokens() * (1 + ESTIMATE_ERROR) + request.outputTokens();
      return most <= candidate.snapshot().maxModelLen() ? 1.0 : 0.0;
    }
  }

  /** Prefers the tier that was asked for; a request that names none is served as well by any. */
  record Tier() implements Scorer {
    @Override
    public String name() {
      return "tier";
    }

    @Override
    public double score(RequestProfile request, Candidate candidate) {
      Optional<String> wanted = request.tiers().stream().findFirst();
      return wanted.isEmpty() || wanted.equals(candidate.snapshot().tier()) ? 1.0 : 0.0;
    }
  }
}
