package io.sluice.gateway.attach;

import io.sluice.common.protocol.ErrorKind;
import java.util.Optional;

/**
 * Lets pass what comes after the position that a reader has reached. Positions are checked: a
 * reader gets the rest of the answer or an error, and never a part of it. Not thread-safe.
 */
final class Continuation {
  private final Position after;
  private boolean isReached;
  private Position last = Position.START;

  /**
   * @param after the last position that the reader has; empty for a reader that has nothing
   */
  Continuation(Optional<Position> after) {
    this.after = after.orElse(Position.START);
    this.isReached = this.after.equals(Position.START);
  }

  /** Returns the last position that was passed, or the reader's while it is not reached. */
  Position position() {
    return isReached ? last : after;
  }

  /**
   * Returns whether the reader still needs the next item of the answer.
   *
   * @throws UnreadableException if the answer has no item at the reader's position, or no longer
   */
  boolean passes(Position next) throws UnreadableException {
    if (!isReached) {
      int order = next.compareTo(after);
      if (order > 0) {
        throw missing(next);
      }
      isReached = order == 0;
      last = next;
      return false;
    }
    last = next;
    return true;
  }

  /**
   * The answer has ended.
   *
   * @throws UnreadableException if it ended before the reader's position
   */
  void end() throws UnreadableException {
    if (!isReached) {
      throw unknown("is behind the end of the answer");
    }
  }

  /** What begins with a later attempt has lost what was before, or never had it. */
  private UnreadableException missing(Position next) {
    return last.equals(Position.START) && next.attempt() > after.attempt()
        ? new UnreadableException(
            ErrorKind.REPLY_TRUNCATED, "the answer at this position is no longer stored")
        : unknown("is not one of this answer");
  }

  private UnreadableException unknown(String problem) {
    return new UnreadableException(
        ErrorKind.INVALID_REQUEST, "the position " + after.text() + " " + problem);
  }
}
