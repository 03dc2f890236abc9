package io.sluice.gateway.batch.run;

import io.sluice.gateway.http.JsonMemory;
import java.util.concurrent.atomic.AtomicLong;

/** The memory that all runs of a gateway share. Thread-safe. */
final class BatchMemory {
  /** A request is there twice while it is sent, so that all take a quarter. */
  private static final int HEAP_SHARE = 8;

  private final JsonMemory trees;
  private final long mostBytes;
  private final AtomicLong bytes = new AtomicLong();

  /**
   * @param trees in which lines are parsed
   * @param mostBytes of requests and results that are in the windows of all runs
   */
  BatchMemory(JsonMemory trees, long mostBytes) {
    this.trees = trees;
    this.mostBytes = mostBytes;
  }

  /** Returns the memory of this process. */
  static BatchMemory with(JsonMemory trees) {
    return new BatchMemory(trees, Runtime.getRuntime().maxMemory() / HEAP_SHARE);
  }

  /** Returns the memory in which the lines of one batch are parsed. */
  LineMemory ofTenant(String tenant) {
    return new LineMemory(trees, tenant);
  }

  /** Returns whether more may be added to a window that is not empty. */
  boolean hasRoom() {
    return bytes.get() < mostBytes;
  }

  /** A window has more in it, or less if the number is negative. */
  void add(long more) {
    bytes.addAndGet(more);
  }
}
