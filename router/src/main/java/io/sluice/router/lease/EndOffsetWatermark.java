package io.sluice.router.lease;

import java.util.ArrayDeque;
import java.util.Deque;

/**
 * Learns how much a task has heard from where the log of outcomes ended at known moments, and from
 * how far the task has read it.
 *
 * <p>The log ended at {@code e} when that was asked for at {@code t}: then all that was
 * acknowledged to its writers before {@code t} stands below {@code e}. So once the task has read
 * through {@code e}, everything said before {@code t} has been heard. While the brokers do not say
 * where the log ends, nothing more counts as heard, and nobody's silence is held against him.
 *
 * <p>INVARIANT: what waits to be read through has ascending offsets and moments. Not thread-safe.
 */
public final class EndOffsetWatermark implements OutcomeWatermark {
  /** A minute of answers; what comes while so many wait is left out, which only delays. */
  private static final int MOST_ENDS = 256;

  private record End(long offset, long askedNanos) {}

  private final Deque<End> unread = new ArrayDeque<>();
  private long throughNanos;
  private long nextOffset = Long.MIN_VALUE;
  private long knownNanos;

  /** Of a task that begins now: what was said before may not have been heard. */
  public EndOffsetWatermark(long nowNanos) {
    throughNanos = nowNanos;
    knownNanos = nowNanos;
  }

  /** The log ended there when it was asked for then; may be said more than once. */
  public void ended(long offset, long askedNanos) {
    if (askedNanos - knownNanos <= 0) {
      return;
    }
    // Where nothing was added since, what is read through then is read through now.
    unread.removeIf(end -> end.offset() >= offset);
    if (unread.size() < MOST_ENDS) {
      knownNanos = askedNanos;
      unread.add(new End(offset, askedNanos));
      hear();
    }
  }

  /**
   * Everything before this offset has been processed: by this task, or by one before it that has
   * committed so.
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
