package io.sluice.producer.follow;

import java.util.OptionalLong;

/**
 * How far a partition has been read, up to which offset it is known to hold records, and how long
 * these have not come. Not thread-safe.
 */
final class ReadPosition {
  private final Silence silence = new Silence();
  private OptionalLong next;
  private long knownEnd;

  /**
   * Creates the position before any record was read.
   *
   * @param next the first offset to read, if it is known
   */
  ReadPosition(OptionalLong next) {
    this.next = next;
  }

  /** Returns the next offset to read, if it is known. */
  OptionalLong next() {
    return next;
  }

  /** The partition is known to hold the offsets before this one. */
  void endedAt(long offset) {
    knownEnd = offset;
  }

  /** All before this offset was read. */
  void advanced(long offset) {
    next = OptionalLong.of(offset);
    silence.broken();
  }

  /** Returns whether all was read that is known to be there. */
  boolean isAtEnd() {
    return next.orElse(0) >= knownEnd;
  }

  /** Records are missing; returns whether that has been so for too long. */
  boolean isSilentTooLong(long nowNanos) {
    return silence.isTooLong(nowNanos);
  }
}
