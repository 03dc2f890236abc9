package io.sluice.worker.intake;

import io.sluice.common.protocol.RequestId;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Identifies the present incarnation of the worker. A worker that has lost its state, or must no
 * longer trust it, begins a new incarnation, which voids every lease of the old one. The name shows
 * that the process is the same, so that routers do not take it for a process that died.
 * Thread-safe.
 */
public final class Incarnation {
  private final String process = RequestId.next();
  private final AtomicInteger renewals = new AtomicInteger();

  /** Returns the present incarnation. */
  public String current() {
    return process + "." + renewals.get();
  }

  /** Begins a new incarnation. */
  public void renew() {
    renewals.incrementAndGet();
  }
}
