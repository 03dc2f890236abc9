package io.sluice.bench.fleet.run;

import java.util.SplittableRandom;

/**
 * The network between processes: every message takes {@value #LEAST_MILLIS} to {@value
 * #MOST_MILLIS} ms, and messages of one channel do not overtake each other. It is the same for all
 * contestants. Not thread-safe.
 */
public final class Network {
  private static final double LEAST_MILLIS = 2;
  private static final double MOST_MILLIS = 4;

  private final VirtualTime time;
  private final SplittableRandom random;

  Network(VirtualTime time, long seed) {
    this.time = time;
    this.random = new SplittableRandom(seed);
  }

  /** Returns how long the next message takes. */
  public long latencyNanos() {
    return (long) (random.nextDouble(LEAST_MILLIS, MOST_MILLIS) * 1e6);
  }

  /** Opens a channel on which messages keep their order. */
  public Channel channel() {
    return new Channel();
  }

  /** A channel on which messages keep their order. */
  public final class Channel {
    private long lastNanos;

    /** Sends a message: runs an action at the other end. */
    public void send(Runnable arrival) {
      lastNanos = Math.max(lastNanos, time.nowNanos() + latencyNanos());
      time.at(lastNanos, arrival);
    }
  }
}
