package io.sluice.worker.watchdog;

import java.util.Locale;

/** A sign that an engine has become worse since its start. */
public enum Symptom {
  /** The time to the first token is twice what it was under this load. */
  SLOW_FIRST_TOKENS,
  /** The time between tokens is 1.4 times what it was under this load. */
  SLOW_TOKENS,
  /** Prefix-cache hits are below 40 %, were above 50 %, and the engine is slower. */
  LOST_CACHE,
  /** More than 90 % of the KV cache is in use, and the engine is slower. */
  FULL_MEMORY,
  /** More than 88 % of the KV cache is in use though there is no request. */
  LEAKED_MEMORY;

  /** Returns the name in logs and metrics, such as {@code slow-tokens}. */
  @Override
  public String toString() {
    return name().toLowerCase(Locale.ROOT).replace('_', '-');
  }
}
