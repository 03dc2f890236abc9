package io.sluice.worker.intake;

import io.sluice.common.protocol.RequestId;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Which life of the worker this is. A worker that has forgotten, or must no longer trust, what it
 * held takes a new one, and every lease of the old one is void. Its name tells that the process is
 * the same, so that nobody takes it for one that died. Thread-safe.
 */
public final class Incarnation {
  private final String process = RequestId.next();
  private final AtomicInteger renewals = new AtomicInteger();

  /** The present one. */
  public String current() {
    return process + "." + renewals.get();
  }

  /** Begins a new one. */
  public void renew() {
    renewals.incrementAndGet();
  }
}
