package io.sluice.producer.client;

import io.sluice.common.protocol.ErrorKind;
import io.sluice.common.protocol.RequestId;
import java.time.Duration;
import java.time.Instant;
import java.util.OptionalLong;
import org.apache.kafka.common.TopicPartition;

/** Reads a stream's records from where they are, to the stream's end. */
final class Tail implements Follower {
  /** As the protocol has it: a UUIDv7's time less this is before the first reply record. */
  private static final Duration CLOCK_SKEW = Duration.ofMinutes(5);

  private final ReplyStream stream;
  private final TopicPartition partition;
  private OptionalLong nextOffset;

  /**
   * @param from the offset of the first record, where it is known
   */
  Tail(ReplyStream stream, TopicPartition partition, OptionalLong from) {
    this.stream = stream;
    this.partition = partition;
    this.nextOffset = from;
  }

  @Override
  public TopicPartition partition() {
    return partition;
  }

  @Override
  public OptionalLong nextOffset() {
    return nextOffset;
  }

  @Override
  public Instant since() {
    return RequestId.timeOf(stream.requestId())
        .map(made -> made.minus(CLOCK_SKEW))
        .orElse(Instant.EPOCH);
  }

  @Override
  public boolean accept(ReplyRecord record) {
    if (record.headers().requestId().equals(stream.requestId())) {
      stream.accept(record);
    }
    return !isDone();
  }

  @Override
  public void advanced(long offset) {
    nextOffset = OptionalLong.of(offset);
  }

  @Override
  public void idle() {}

  @Override
  public void failed(ErrorKind kind, String message) {
    stream.fail(kind, message);
  }

  @Override
  public boolean isDone() {
    return stream.isEnded();
  }
}
