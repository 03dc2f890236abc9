package io.sluice.producer.client;

import io.sluice.common.protocol.ErrorKind;
import io.sluice.common.protocol.RequestId;
import io.sluice.common.reply.ReplyPointer;
import io.sluice.producer.follow.Follower;
import io.sluice.producer.follow.ReplyRecord;
import java.time.Duration;
import java.time.Instant;
import java.util.OptionalLong;
import java.util.function.LongSupplier;
import org.apache.kafka.common.TopicPartition;

/** Reads a stream's records from its current position to its end. */
final class Tail implements Follower {
  /**
   * By the protocol, the first reply record is never older than the time in the UUIDv7 minus this.
   */
  private static final Duration CLOCK_SKEW = Duration.ofMinutes(5);

  private final ReplyStream stream;
  private final TopicPartition partition;
  private final Instant since;
  private final LongSupplier nanoTime;
  private final ReadPosition position;

  private Tail(
      ReplyStream stream,
      TopicPartition partition,
      Instant since,
      OptionalLong firstOffset,
      LongSupplier nanoTime) {
    this.stream = stream;
    this.partition = partition;
    this.since = since;
    this.position = new ReadPosition(firstOffset);
    this.nanoTime = nanoTime;
  }

  /**
   * Reads from a broker time. If there is no record before the end, the stream's time limit
   * decides.
   */
  static Tail since(
      Instant since, ReplyStream stream, TopicPartition partition, LongSupplier nanoTime) {
    return new Tail(stream, partition, since, OptionalLong.empty(), nanoTime);
  }

  /**
   * Reads from the first record of the answer that a pointer refers to. If its offset is not known,
   * reads from the time of the first request, minus some minutes because another broker recorded
   * that time.
   */
  static Tail of(ReplyStream stream, ReplyPointer pointer, LongSupplier nanoTime) {
    Instant since =
        pointer.sinceMillis().isPresent()
            ? notBeforeEpoch(
                Instant.ofEpochMilli(pointer.sinceMillis().getAsLong()).minus(CLOCK_SKEW))
            : beginning(stream.requestId());
    var partition = new TopicPartition(pointer.address().topic(), pointer.address().partition());
    return new Tail(stream, partition, since, pointer.offset(), nanoTime);
  }

  /** Kafka knows no earlier times. */
  static Instant notBeforeEpoch(Instant time) {
    return time.isAfter(Instant.EPOCH) ? time : Instant.EPOCH;
  }

  /**
   * Returns a time before the first record of a request; the time of all records if the id contains
   * none.
   */
  static Instant beginning(String requestId) {
    return RequestId.timeOf(requestId)
        .map(made -> notBeforeEpoch(made.minus(CLOCK_SKEW)))
        .orElse(Instant.EPOCH);
  }

  @Override
  public String tenant() {
    return stream.reader();
  }

  @Override
  public TopicPartition partition() {
    return partition;
  }

  @Override
  public OptionalLong nextOffset() {
    return position.next();
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
    position.endedAt(offset);
  }

  @Override
  public void advanced(long offset) {
    position.advanced(offset);
    idle();
  }

  /** Only a log that was read to its end is known to hold nothing. */
  @Override
  public void idle() {
    if (position.isAtEnd()) {
      stream.caughtUp();
      stream.expire(nanoTime.getAsLong());
    } else if (position.isSilentTooLong(nanoTime.getAsLong())) {
      failed(ErrorKind.UNAVAILABLE, Silence.MESSAGE);
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
