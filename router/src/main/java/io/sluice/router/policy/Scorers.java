package io.sluice.router.policy;

import java.util.List;

/** The scorers that the policy combines, except {@link PredictedTtft}. */
final class Scorers {
  private Scorers() {}

  /** Prefers workers into which the prompt fits even if its estimate is somewhat too low. */
  record ContextMargin() implements Scorer {
    private static final double ESTIMATE_ERROR = 0.1;

    /** 1 if {@code 1.1 * prompt + output <= max_model_len}, else 0. */
    @Override
    public double score(RequestProfile request, Candidate candidate) {
      double most = request.promptTokens() * (1 + ESTIMATE_ERROR) + request.outputTokens();
      return most <= candidate.snapshot().maxModelLen() ? 1.0 : 0.0;
    }
  }

  /** Prefers tiers in the order in which the request names them. */
  record Tier() implements Scorer {
    /**
     * {@code 1 - rank / tiers}, with rank 0 for the best tier. A worker without a tier comes after
     * all named tiers. If the request names no tier, all workers are equal.
     */
    @Override
    public double score(RequestProfile request, Candidate candidate) {
      List<String> tiers = request.tiers();
      if (tiers.isEmpty()) {
        return 1.0;
      }
      int rank = candidate.snapshot().tier().map(tiers::indexOf).orElse(-1);
      return rank < 0 ? 0.0 : 1.0 - (double) rank / tiers.size();
    }
  }

  /** Prefers workers that have the prefix of the prompt cached. */
  record Prefix() implements Scorer {
    /** Returns the share of the prompt that is expected in the engine's prefix cache. */
    @Override
    public double score(RequestProfile request, Candidate candidate) {
      return request.promptTokens() <= 0
          ? 0.0
          : Math.clamp(
              (double) candidate.outlook().cachedTokens() / request.promptTokens(), 0.0, 1.0);
    }
  }

  /** Prefers workers with free memory. */
  record Fit() implements Scorer {
    private static final long LONG_PROMPT_TOKENS = 2_048;
    private static final double KV_WEIGHT = 0.8;
    private static final double KV_WEIGHT_LONG_PROMPT = 0.95;

    /** {@code kvFree * w + budgetFree * (1 - w)}; w = 0.8, 0.95 for prompts over 2,048 tokens. */
    @Override
    public double score(RequestProfile request, Candidate candidate) {
      double weight =
          request.promptTokens() > LONG_PROMPT_TOKENS ? KV_WEIGHT_LONG_PROMPT : KV_WEIGHT;
      return candidate.kvFree() * weight + candidate.budgetFree() * (1 - weight);
    }
  }

  /** Prefers the worker with the largest share of free slots. */
  record Load() implements Scorer {
    /** {@code 1 - (running + waiting + just sent) / slots}. */
    @Override
    public double score(RequestProfile request, Candidate candidate) {
      return Math.clamp(1.0 - candidate.load(), 0.0, 1.0);
    }
  }

  /** Prefers workers that need not load the adapter first. */
  record Adapter() implements Scorer {
    /** 1 if the model is a base model of the engine or an adapter in its memory, else 0. */
    @Override
    public double score(RequestProfile request, Candidate candidate) {
      return candidate.snapshot().parentOf(request.model()).isEmpty()
              || candidate.snapshot().traits().loadedAdapters().contains(request.model())
          ? 1.0
          : 0.0;
    }
  }

  /** Prefers engines whose draft model is tuned for the kind of text. */
  record Draft() implements Scorer {
    /** 1 if the engine's draft model suits the text, or the text is of no special kind. */
    @Override
    public double score(RequestProfile request, Candidate candidate) {
      return request.text().isEmpty()
              || candidate.snapshot().traits().draftSuits().contains(request.text().get())
          ? 1.0
          : 0.0;
    }
  }
}
