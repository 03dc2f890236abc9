package io.sluice.worker.generation;

import java.time.Duration;
import java.util.concurrent.atomic.DoubleAdder;
import java.util.concurrent.atomic.LongAdder;

/**
 * Counts what the worker's own generations saw of the engine since the start, for engines that do
 * not count it themselves. Counts only grow. Thread-safe.
 */
public final class EngineTally {
  private final LongAdder promptTokens = new LongAdder();
  private final LongAdder firstTokens = new LongAdder();
  private final DoubleAdder firstTokenSeconds = new DoubleAdder();
  private final LongAdder interTokens = new LongAdder();
  private final DoubleAdder interTokenSeconds = new DoubleAdder();

  /**
   * A generation's first token came.
   *
   * @param sinceSent the time since the request was sent to the engine
   */
  void firstToken(int promptTokensOfIt, Duration sinceSent) {
    promptTokens.add(promptTokensOfIt);
    firstTokens.increment();
    firstTokenSeconds.add(seconds(sinceSent));
  }

  /**
   * More tokens of a generation came.
   *
   * @param sinceLast the time since the tokens before
   */
  void moreTokens(int count, Duration sinceLast) {
    interTokens.add(count);
    interTokenSeconds.add(seconds(sinceLast));
  }

  /** Prompt tokens of the generations with a first token, including those from a cache. */
  public double promptTokens() {
    return promptTokens.sum();
  }

  /** Generations that got a first token. */
  public double firstTokens() {
    return firstTokens.sum();
  }

  /** Returns their times to the first token, summed, in seconds. */
  public double firstTokenSeconds() {
    return firstTokenSeconds.sum();
  }

  /** Tokens after the first ones. */
  public double interTokens() {
    return interTokens.sum();
  }

  /** Returns the intervals before those tokens, summed, in seconds. */
  public double interTokenSeconds() {
    return interTokenSeconds.sum();
  }

  private static double seconds(Duration duration) {
    return duration.toNanos() / 1e9;
  }
}
