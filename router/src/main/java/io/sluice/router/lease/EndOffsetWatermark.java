package io.sluice.router.lease;

import java.util.ArrayDeque;
import java.util.Deque;

/**
 * Learns the watermark from the end offsets of the outcomes topic at known times, and from how far
 * the task has read.
 *
 * <p>If the log ended at offset {@code e} when the brokers were asked at time {@code t}, everything
 * that was acknowledged to writers before {@code t} is below {@code e}. So once the task has read
 * up to {@code e}, it has processed everything that was said before {@code t}. While the brokers do
 * not tell the end offset, the watermark does not advance, and no worker is lost for its silence.
 *
 * <p>INVARIANT: the pending end offsets ascend in offset and in time. Not thread-safe.
 */
public final class EndOffsetWatermark implements OutcomeWatermark {
  /**
   * One minute of answers. Further ones are dropped while this many are pending, which only delays
   * the watermark.
   */
  private static final int MOST_ENDS = 256;

  private record End(long offset, long askedNanos) {}

  private final Deque<End> unread = new ArrayDeque<>();
  private long throughNanos;
  private long nextOffset = Long.MIN_VALUE;
  private long knownNanos;

  /**
   * Creates the watermark of a task that starts now. Earlier outcomes may not have been processed.
   */
  public EndOffsetWatermark(long nowNanos) {
    throughNanos = nowNanos;
    knownNanos = nowNanos;
  }

  /**
   * The log ended at this offset when the brokers were asked at this time. May be called again with
   * the same values.
   */
  public void ended(long offset, long askedNanos) {
    if (askedNanos - knownNanos <= 0) {
      return;
    }
    // If nothing was appended since, reading up to the old end is reading up to the new one.
    unread.removeIf(end -> end.offset() >= offset);
    if (unread.size() < MOST_ENDS) {
      knownNanos = askedNanos;
      unread.add(new End(offset, askedNanos));
      hear();
    }
  }

  /**
   * Every offset below this one was processed, by this task or by an earlier one that committed it.
   */
  public void read(long offset) {
    if (offset > nextOffset) {
      nextOffset = offset;
      hear();
    }
  }

  private void hear() {
    for (End end = unread.peek(); end != null && end.offset() <= nextOffset; end = unread.peek()) {
      throughNanos = end.askedNanos();
      unread.remove();
    }
  }

  @Override
  public long throughNanos(long nowNanos) {
    return throughNanos;
  }
}
