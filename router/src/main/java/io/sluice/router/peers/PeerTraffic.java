package io.sluice.router.peers;

import java.util.concurrent.atomic.LongAdder;

/** Counts what routers tell each other, for metrics. Thread-safe. */
public final class PeerTraffic {
  private final LongAdder published = new LongAdder();
  private final LongAdder received = new LongAdder();
  private final LongAdder dropped = new LongAdder();

  void publishedOne() {
    published.increment();
  }

  void receivedOne() {
    received.increment();
  }

  void dropped(int sendings) {
    dropped.add(sendings);
  }

  /** Messages that this router has sent. */
  public long published() {
    return published.sum();
  }

  /** Messages of other routers that have come. */
  public long received() {
    return received.sum();
  }

  /** Assignments of which the others were not told. */
  public long dropped() {
    return dropped.sum();
  }
}
