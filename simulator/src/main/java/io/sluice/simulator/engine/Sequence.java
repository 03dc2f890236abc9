package io.sluice.simulator.engine;

import java.util.Optional;

/** A sequence inside the engine: what is known of it, what is computed, what it holds. */
final class Sequence {

  private final SequenceRequest request;

  private int outputTokens;
  private int computedTokens;
  private int blocks;
  private int preemptions;
  private boolean scheduled;
  private long scheduledNanos;

  Sequence(SequenceRequest request) {
    this.request = request;
  }

  long id() {
    return request.id();
  }

  int knownTokens() {
    return request.prompt().size() + outputTokens;
  }

  int computedTokens() {
    return computedTokens;
  }

  int uncomputedTokens() {
    return knownTokens() - computedTokens;
  }

  /** A decode step computes the one token that the step before produced. */
  boolean decodes() {
    return outputTokens > 0 && uncomputedTokens() == 1;
  }

  boolean reserve(BlockPool pool, int tokens) {
    int missing = BlockPool.blocksFor(computedTokens + tokens) - blocks;
    if (missing > 0 && !pool.take(missing)) {
      return false;
    }
    blocks += Math.max(0, missing);
    return true;
  }

  void release(BlockPool pool) {
    pool.give(blocks);
    blocks = 0;
  }

  void preempt(BlockPool pool) {
    release(pool);
    computedTokens = 0;
    preemptions++;
  }

  void markScheduled(long nowNanos) {
    if (!scheduled) {
      scheduled = true;
      scheduledNanos = nowNanos;
    }
  }

  void compute(int tokens) {
    computedTokens += tokens;
  }

  TokenOutput sample(int maxModelLen) {
    int token = request.source().next();
    outputTokens++;
    return new TokenOutput(id(), token, finish(token, maxModelLen), scheduledNanos, preemptions);
  }

  private Optional<FinishReason> finish(int token, int maxModelLen) {
    if (outputTokens >= request.minTokens() && request.endTokens().contains(token)) {
      return Optional.of(FinishReason.STOP);
    }
    return outputTokens >= request.maxTokens() || knownTokens() >= maxModelLen
        ? Optional.of(FinishReason.LENGTH)
        : Optional.empty();
  }
}
