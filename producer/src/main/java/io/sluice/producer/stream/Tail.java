package io.sluice.producer.stream;

import io.sluice.common.protocol.ErrorKind;
import io.sluice.common.reply.ReplyPointer;
import io.sluice.producer.follow.EarliestTime;
import io.sluice.producer.follow.FollowerToEnd;
import io.sluice.producer.follow.ReplyRecord;
import java.time.Instant;
import java.util.OptionalLong;
import java.util.function.LongSupplier;
import org.apache.kafka.common.TopicPartition;

/** Reads a stream's records from its current position to its end. */
public final class Tail extends FollowerToEnd {
  private final FoldedStream stream;
  private final Instant since;
  private final LongSupplier nanoTime;

  private Tail(
      FoldedStream stream,
      TopicPartition partition,
      Instant since,
      OptionalLong firstOffset,
      LongSupplier nanoTime) {
    super(partition, firstOffset, nanoTime);
    this.stream = stream;
    this.since = since;
    this.nanoTime = nanoTime;
  }

  /**
   * Reads from a broker time. If there is no record before the end, the stream's time limit
   * decides.
   */
  public static Tail since(
      Instant since, FoldedStream stream, TopicPartition partition, LongSupplier nanoTime) {
    return new Tail(stream, partition, since, OptionalLong.empty(), nanoTime);
  }

  /**
   * Reads from the first record of the answer that a pointer refers to. If its offset is not known,
   * reads from the time of the first request, minus some minutes because another broker recorded
   * that time.
   */
  static Tail of(FoldedStream stream, ReplyPointer pointer, LongSupplier nanoTime) {
    Instant since =
        pointer.sinceMillis().isPresent()
            ? EarliestTime.before(Instant.ofEpochMilli(pointer.sinceMillis().getAsLong()))
            : EarliestTime.of(stream.requestId());
    var partition = new TopicPartition(pointer.address().topic(), pointer.address().partition());
    return new Tail(stream, partition, since, pointer.offset(), nanoTime);
  }

  @Override
  public String tenant() {
    return stream.reader();
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
  protected void reachedEnd() {
    stream.caughtUp();
    stream.expire(nanoTime.getAsLong());
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
