package io.sluice.router.peers;

import java.util.concurrent.atomic.LongAdder;

/** Counts the messages between routers, for metrics. Thread-safe. */
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

  /** Messages that arrived from other routers. */
  public long received() {
    return received.sum();
  }

  /** Assignments that the other routers were not told about. */
  public long dropped() {
    return dropped.sum();
  }
}
