package io.sluice.router.schedule;

import java.util.concurrent.atomic.AtomicLong;

/**
 * How much of its heap a router process may take to remember requests that are over, in all its
 * tasks. Thread-safe.
 */
public final class EndedLimit {
  private final long most;
  private final AtomicLong bytes = new AtomicLong();

  /** Nothing is remembered yet. */
  public EndedLimit(long mostBytes) {
    this.most = mostBytes;
  }

  /** What is remembered takes so much, about. */
  public long bytes() {
    return bytes.get();
  }

  void add(long more) {
    bytes.addAndGet(more);
  }

  boolean isExceeded() {
    return bytes.get() > most;
  }
}
