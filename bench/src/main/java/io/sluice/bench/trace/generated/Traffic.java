package io.sluice.bench.trace.generated;

/** One kind of traffic: sessions of requests that start independently of each other. */
interface Traffic {
  /** Returns how many sessions start per second. */
  double startsPerSecond();

  /**
   * Adds the requests of one session.
   *
   * @param startNanos when the session begins
   */
  void session(long startNanos, Draws draws, Timeline timeline);
}
