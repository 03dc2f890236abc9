package io.sluice.simulator.serving;

import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

/**
 * What an engine has been given and has not done yet; the request limits of vLLM count by it.
 * Thread-safe.
 */
public final class PendingWork {

  private final AtomicInteger unfinished = new AtomicInteger();
  private final AtomicLong prefillTokens = new AtomicLong();

  PendingWork() {}

  /** Returns the sequences that are waiting or running; a request with {@code n} counts n. */
  public int unfinished() {
    return unfinished.get();
  }

  /** Returns the prompt tokens of the sequences that have no output yet. */
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
