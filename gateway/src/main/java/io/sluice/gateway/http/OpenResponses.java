package io.sluice.gateway.http;

import jakarta.inject.Singleton;
import java.util.concurrent.atomic.AtomicInteger;

/** Counts the responses that are awaited or still being written to clients. Thread-safe. */
@Singleton
public final class OpenResponses {
  private final AtomicInteger open = new AtomicInteger();

  /** A request has come, or the writing of a body begins. */
  public void begin() {
    open.incrementAndGet();
  }

  /** What began before has been written, or its client has gone. */
  public void end() {
    open.decrementAndGet();
  }

  /** Returns how many there are. */
  public int count() {
    return open.get();
  }
}
