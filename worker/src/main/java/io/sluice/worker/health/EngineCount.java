package io.sluice.worker.health;

/** Counters of engines. */
public enum EngineCount {
  /** Prompt tokens computed, without cached ones; counted at the first token. */
  PREFILL_TOKENS,
  /** Prompt tokens that came from the prefix cache. */
  CACHED_TOKENS,
  /** Requests that got their first token. */
  FIRST_TOKENS,
  /** Time to the first token, summed over those requests, in seconds. */
  FIRST_TOKEN_SECONDS,
  /** Tokens after the first ones, including accepted draft tokens. */
  INTER_TOKENS,
  /** The intervals before those tokens, summed, in seconds. */
  INTER_TOKEN_SECONDS,
  /** Requests that were preempted: they lost their KV cache to others. */
  PREEMPTIONS,
  /** Tokens drafted by speculative decoding. */
  DRAFT_TOKENS,
  /** Drafted tokens that the model accepted. */
  ACCEPTED_TOKENS
}
