package io.sluice.worker.health;

/** What engines count. */
public enum EngineCount {
  /** Prompt tokens computed, cached ones not counted; added at the first token. */
  PREFILL_TOKENS,
  /** Prompt tokens that its prefix cache held, and that were not computed. */
  CACHED_TOKENS,
  /** Requests that had their first token. */
  FIRST_TOKENS,
  /** Their waits for it, added up. */
  FIRST_TOKEN_SECONDS,
  /** Tokens after the first ones, also those that a draft guessed. */
  INTER_TOKENS,
  /** The waits for them, added up. */
  INTER_TOKEN_SECONDS,
  /** Requests that lost their KV cache to others. */
  PREEMPTIONS,
  /** Tokens that speculative decoding guessed. */
  DRAFT_TOKENS,
  /** Those of them that the model would have said too. */
  ACCEPTED_TOKENS
}
