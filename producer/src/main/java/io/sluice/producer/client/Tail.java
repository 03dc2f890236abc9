package io.sluice.producer.client;

import io.sluice.common.protocol.ErrorKind;
import io.sluice.common.protocol.RequestId;
import io.sluice.common.reply.ReplyPointer;
import java.time.Duration;
import java.time.Instant;
import java.util.OptionalLong;
import java.util.function.LongSupplier;
import org.apache.kafka.common.TopicPartition;

/** Reads a stream's records from where they are, to the stream's end. */
final class Tail implements Follower {
  /** As the protocol has it: a UUIDv7's time less this is before the first reply record. */
  private static final Duration CLOCK_SKEW = Duration.ofMinutes(5);

  private final ReplyStream stream;
  private final TopicPartition partition;
  private final Instant since;
  private final LongSupplier nanoTime;
  private OptionalLong nextOffset = OptionalLong.empty();
  private long endedAt;

  private Tail(ReplyStream stream, TopicPartition partition, Instant since, LongSupplier nanoTime) {
    this.stream = stream;
    this.partition = partition;
    this.since = since;
    this.nanoTime = nanoTime;
  }

  /** From a broker time on; a stream without a record up to the end is then judged by its time. */
  static Tail since(
      Instant since, ReplyStream stream, TopicPartition partition, LongSupplier nanoTime) {
    return new Tail(stream, partition, since, nanoTime);
  }

  /**
   * From the first record on of the answer that a pointer leads to. Where its offset is not known,
   * from when the first request came: another broker wrote that time down, so some minutes before.
   */
  static Tail of(ReplyStream stream, ReplyPointer pointer, LongSupplier nanoTime) {
    Instant since =
        pointer.sinceMillis().isPresent()
            ? notBeforeEpoch(
                Instant.ofEpochMilli(pointer.sinceMillis().getAsLong()).minus(CLOCK_SKEW))
            : beginning(stream.requestId());
    var partition = new TopicPartition(pointer.address().topic(), pointer.address().partition());
    Tail tail = new Tail(stream, partition, since, nanoTime);
    tail.nextOffset = pointer.offset();
    return tail;
  }

  private static Instant notBeforeEpoch(Instant time) {
    return time.isAfter(Instant.EPOCH) ? time : Instant.EPOCH;
  }

  /** A time before the first record of a request; that of all records if its id tells no time. */
  static Instant beginning(String requestId) {
    return RequestId.timeOf(requestId)
        .map(made -> made.minus(CLOCK_SKEW))
        .filter(time -> time.isAfter(Instant.EPOCH))
        .orElse(Instant.EPOCH);
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
    return since;
  }

  @Override
  public boolean accept(ReplyRecord record) {
    if (record.headers().requestId().equals(stream.requestId())) {
      stream.accept(record);
    }
    return !isDone();
  }

  @Override
  public void endedAt(long offset) {
    endedAt = offset;
  }

  @Override
  public void advanced(long offset) {
    nextOffset = OptionalLong.of(offset);
    idle();
  }

  /** Only what was read to its end can be said to hold nothing. */
  @Override
  public void idle() {
    if (nextOffset.orElse(0) >= endedAt) {
      stream.expire(nanoTime.getAsLong());
    }
  }

  @Override
  public void failed(ErrorKind kind, String message) {
    stream.fail(kind, message);
  }

  @Override
  public boolean isDone() {
    return stream.isEnded();
  }
}
