package io.sluice.producer.follow;

import io.sluice.common.protocol.ErrorKind;
import java.util.OptionalLong;
import java.util.function.LongSupplier;
import org.apache.kafka.common.TopicPartition;

/**
 * A follower that is told when it has read all that its partition is known to hold. It fails if
 * known records do not come. Not thread-safe.
 */
public abstract class FollowerToEnd implements Follower {
  private final TopicPartition partition;
  private final ReadPosition position;
  private final LongSupplier nanoTime;

  /**
   * @param firstOffset the first offset to read, if it is known
   */
  protected FollowerToEnd(
      TopicPartition partition, OptionalLong firstOffset, LongSupplier nanoTime) {
    this.partition = partition;
    this.position = new ReadPosition(firstOffset);
    this.nanoTime = nanoTime;
  }

  /** All was read that is known to be there. Called again whenever that is so. */
  protected abstract void reachedEnd();

  @Override
  public final TopicPartition partition() {
    return partition;
  }

  @Override
  public final OptionalLong nextOffset() {
    return position.next();
  }

  @Override
  public final void endedAt(long offset) {
    position.endedAt(offset);
  }

  @Override
  public final void advanced(long offset) {
    position.advanced(offset);
    idle();
  }

  /** Only a log that was read to its end is known to hold nothing. */
  @Override
  public final void idle() {
    if (position.isAtEnd()) {
      reachedEnd();
    } else if (position.isSilentTooLong(nanoTime.getAsLong())) {
      failed(ErrorKind.UNAVAILABLE, Silence.MESSAGE);
    }
  }
}
