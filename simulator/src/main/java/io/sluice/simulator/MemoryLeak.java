package io.sluice.simulator;

import java.time.Duration;

/**
 * The effect of a memory leak on one server process: KV blocks are lost, and steps take longer in
 * proportion, as with a fragmented allocator. With fewer blocks, requests wait longer and fewer
 * prefixes are cached, so that the time to first token rises and the hit rate falls. Thread-safe.
 */
final class MemoryLeak {

  private final int spareBlocks;
  private final int blocks;
  private double owed;
  private int lost;

  MemoryLeak(SimulatorConfig config) {
    blocks = config.engine().kvBlocks();
    // With fewer blocks, not even one request of the full context length fits.
    spareBlocks = blocks - 1 - Math.ceilDiv(config.maxModelLen(), config.blockTokens());
  }

  /** Returns how many whole blocks are newly lost. */
  synchronized int lose(double blocksPerMinute, Duration elapsed) {
    owed += blocksPerMinute * elapsed.toNanos() / Duration.ofMinutes(1).toNanos();
    int whole = (int) owed;
    owed -= whole;
    lost += whole;
    return whole;
  }

  synchronized int lostBlocks() {
    return lost;
  }

  /** Returns the factor by which steps take longer: up to 2 when everything is lost. */
  synchronized double slowdown() {
    return 1 + Math.min(1, (double) lost / blocks);
  }

  /** Returns whether a request of the full context length no longer fits. */
  synchronized boolean isOut() {
    return lost > spareBlocks;
  }
}
