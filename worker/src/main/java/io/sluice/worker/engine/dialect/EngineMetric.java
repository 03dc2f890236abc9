package io.sluice.worker.engine.dialect;

/** What workers read from an engine's metrics. */
public enum EngineMetric {
  /** Requests in its batches. */
  RUNNING,
  /** Requests in its queues. */
  WAITING,
  /** How full its KV cache is, 0 to 1. */
  KV_USAGE,
  /** What its KV cache holds, in tokens. */
  KV_TOKENS,
  /** When its process started, Unix time. */
  START_SECONDS,
  /** Prompt tokens since its start, those from its prefix cache included. */
  PROMPT_TOKENS,
  /** Prompt tokens that it has computed. */
  COMPUTED_TOKENS,
  /** Prompt tokens that came from its prefix cache. */
  CACHED_TOKENS,
  /** Requests that had their first token. */
  FIRST_TOKENS,
  /** Their waits for it, added up. */
  FIRST_TOKEN_SECONDS,
  /**
   * Waits between tokens of a stream. A step with speculative decoding may give several tokens and
   * counts once.
   */
  INTER_TOKENS,
  /** Those waits, added up. */
  INTER_TOKEN_SECONDS,
  /** Requests that lost their KV cache to others. */
  PREEMPTIONS,
  /** Tokens that speculative decoding guessed. */
  DRAFT_TOKENS,
  /** Those of them that the model would have said too. */
  ACCEPTED_TOKENS
}
