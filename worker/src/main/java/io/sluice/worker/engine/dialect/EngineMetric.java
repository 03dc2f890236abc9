package io.sluice.worker.engine.dialect;

/** The metrics that workers read from engines. */
public enum EngineMetric {
  /** Requests in the running batch. */
  RUNNING,
  /** Requests in the queue. */
  WAITING,
  /** Use of the KV cache, 0 to 1. */
  KV_USAGE,
  /** Capacity of the KV cache, in tokens. */
  KV_TOKENS,
  /** Start time of the process, in Unix time. */
  START_SECONDS,
  /** Prompt tokens since the start, including those from the prefix cache. */
  PROMPT_TOKENS,
  /** Prompt tokens computed, without those from the prefix cache. */
  COMPUTED_TOKENS,
  /** Prompt tokens that came from the prefix cache. */
  CACHED_TOKENS,
  /** Requests that got their first token. */
  FIRST_TOKENS,
  /** Time to the first token, summed over those requests, in seconds. */
  FIRST_TOKEN_SECONDS,
  /**
   * Intervals between tokens of a stream. A step of speculative decoding may yield several tokens
   * and counts once.
   */
  INTER_TOKENS,
  /** Those intervals, summed, in seconds. */
  INTER_TOKEN_SECONDS,
  /** Requests that were preempted: they lost their KV cache to others. */
  PREEMPTIONS,
  /** Tokens drafted by speculative decoding. */
  DRAFT_TOKENS,
  /** Drafted tokens that the model accepted. */
  ACCEPTED_TOKENS
}
