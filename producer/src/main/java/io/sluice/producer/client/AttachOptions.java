package io.sluice.producer.client;

import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.OptionalInt;

/**
 * Where a reader that attaches to a request looks for its answer.
 *
 * @param fromIndex the first token that is wanted; a stream begins with the record that holds it
 * @param patience how long to wait for the first record of the request, once all there is was read;
 *     by default 3 s, and at least until an interactive request of that id would have been refused
 * @param since when the answer began at the earliest, by the broker's clock; by default a UUIDv7's
 *     own time, and for other ids the beginning of the partition
 * @param replyTopic where the request had its answer sent, by default {@code sluice.replies}
 * @param replyPartition the partition it had it sent to; by default that of the request's id
 */
public record AttachOptions(
    int fromIndex,
    Optional<Duration> patience,
    Optional<Instant> since,
    Optional<String> replyTopic,
    OptionalInt replyPartition) {
  private static final AttachOptions STANDARD =
      new AttachOptions(
          0, Optional.empty(), Optional.empty(), Optional.empty(), OptionalInt.empty());

  public AttachOptions {
    if (fromIndex < 0) {
      throw new IllegalArgumentException("the first token has the index 0, not " + fromIndex);
    }
  }

  /** From the first token, where a request of that id is answered by default. */
  public static AttachOptions standard() {
    return STANDARD;
  }

  public AttachOptions from(int index) {
    return new AttachOptions(index, patience, since, replyTopic, replyPartition);
  }

  public AttachOptions waiting(Duration forFirstRecord) {
    return new AttachOptions(
        fromIndex, Optional.of(forFirstRecord), since, replyTopic, replyPartition);
  }

  public AttachOptions since(Instant time) {
    return new AttachOptions(fromIndex, patience, Optional.of(time), replyTopic, replyPartition);
  }

  public AttachOptions on(Optional<String> topic, OptionalInt partition) {
    return new AttachOptions(fromIndex, patience, since, topic, partition);
  }
}
