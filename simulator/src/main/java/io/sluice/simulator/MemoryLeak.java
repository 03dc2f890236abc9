package io.sluice.simulator;

import java.time.Duration;

/**
 * What a leak has done to one incarnation: KV blocks that are gone, and steps that take longer by
 * the share of them, as with a fragmented allocator. Fewer blocks mean more waiting and fewer
 * cached prefixes, so time to first token climbs and the hit rate falls. Thread-safe.
 */
final class MemoryLeak {

  private final int spareBlocks;
  private final int blocks;
  private double owed;
  private int lost;

  MemoryLeak(SimulatorConfig config) {
    blocks = config.engine().kvBlocks();
    // Beyond this not even one longest request would fit.
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

  /** Returns how many times longer steps take: up to twice, when everything is lost. */
  synchronized double slowdown() {
    return 1 + Math.min(1, (double) lost / blocks);
  }

  /** Returns whether the longest request would not fit any more. */
  synchronized boolean isOut() {
    return lost > spareBlocks;
  }
}
