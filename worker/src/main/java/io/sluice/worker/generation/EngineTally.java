package io.sluice.worker.generation;

import java.time.Duration;
import java.util.concurrent.atomic.DoubleAdder;
import java.util.concurrent.atomic.LongAdder;

/**
 * What the worker's own generations have seen of the engine since the start, for engines that do
 * not count it themselves. Only grows. Thread-safe.
 */
public final class EngineTally {
  private final LongAdder promptTokens = new LongAdder();
  private final LongAdder firstTokens = new LongAdder();
  private final DoubleAdder firstTokenSeconds = new DoubleAdder();
  private final LongAdder interTokens = new LongAdder();
  private final DoubleAdder interTokenSeconds = new DoubleAdder();

  /** A generation's first token came, so long after it was sent to the engine. */
  void firstToken(int promptTokensOfIt, Duration sinceSent) {
    promptTokens.add(promptTokensOfIt);
    firstTokens.increment();
    firstTokenSeconds.add(seconds(sinceSent));
  }

  /** More tokens of a generation came, so long after the last ones. */
  void moreTokens(int count, Duration sinceLast) {
    interTokens.add(count);
    interTokenSeconds.add(seconds(sinceLast));
  }

  /** Tokens of the prompts that were answered; those that came from a cache are counted, too. */
  public double promptTokens() {
    return promptTokens.sum();
  }

  /** Generations that had a first token. */
  public double firstTokens() {
    return firstTokens.sum();
  }

  /** Their waits for it, added up. */
  public double firstTokenSeconds() {
    return firstTokenSeconds.sum();
  }

  /** Tokens after the first ones. */
  public double interTokens() {
    return interTokens.sum();
  }

  /** The waits for them, added up. */
  public double interTokenSeconds() {
    return interTokenSeconds.sum();
  }

  private static double seconds(Duration duration) {
    return duration.toNanos() / 1e9;
  }
}
