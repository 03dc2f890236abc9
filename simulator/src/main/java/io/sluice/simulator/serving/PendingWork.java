package io.sluice.simulator.serving;

import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

/**
 * The work that an engine has accepted and not done yet. vLLM's request limits are based on it.
 * Thread-safe.
 */
public final class PendingWork {

  private final AtomicInteger unfinished = new AtomicInteger();
  private final AtomicLong prefillTokens = new AtomicLong();

  PendingWork() {}

  /** Returns the number of waiting and running sequences. A request with {@code n} counts n. */
  public int unfinished() {
    return unfinished.get();
  }

  /** Returns the number of prompt tokens of the sequences without output. */
  public long prefillTokens() {
    return prefillTokens.get();
  }

  void arrived(int promptTokens) {
    unfinished.incrementAndGet();
    prefillTokens.addAndGet(promptTokens);
  }

  void prefilled(int promptTokens) {
    prefillTokens.addAndGet(-promptTokens);
  }

  void finished() {
    unfinished.decrementAndGet();
  }
}
