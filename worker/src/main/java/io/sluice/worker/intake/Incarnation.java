package io.sluice.worker.intake;

import io.sluice.common.protocol.RequestId;

/**
 * Which life of the worker this is. A worker that has forgotten, or must no longer trust, what it
 * held takes a new one, and every lease of the old one is void. Thread-safe.
 */
public final class Incarnation {
  private volatile String current = RequestId.next();

  /** The present one. */
  public String current() {
    return current;
  }

  /** Begins a new one. */
  public void renew() {
    current = RequestId.next();
  }
}
