package io.sluice.worker.limit;

import java.util.OptionalDouble;

/**
 * What was seen of an engine between two looks at it.
 *
 * @param inFlight requests that the worker has in the engine now
 * @param waiting those of them that the engine keeps in its own queue; 0 where it does not say
 * @param interTokenMillis mean time between two tokens of a stream; empty if there were none
 * @param kvUsage of the engine's KV cache, 0 to 1; empty where it does not say
 * @param preemptions requests that lost their KV cache to others
 * @param interTokens how many times between tokens there were: how much this window counts
 * @param firstTokens how many generations had their first token
 */
public record LimitWindow(
    int inFlight,
    int waiting,
    OptionalDouble interTokenMillis,
    OptionalDouble kvUsage,
    long preemptions,
    double interTokens,
    double firstTokens) {

  /** A window that counts as much as others do, and in which nothing began. */
  public LimitWindow(
      int inFlight,
      int waiting,
      OptionalDouble interTokenMillis,
      OptionalDouble kvUsage,
      long preemptions) {
    this(inFlight, waiting, interTokenMillis, kvUsage, preemptions, 1, 0);
  }
}
