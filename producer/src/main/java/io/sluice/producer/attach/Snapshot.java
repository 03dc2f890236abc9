package io.sluice.producer.attach;

import io.sluice.common.protocol.ErrorKind;
import io.sluice.producer.follow.EarliestTime;
import io.sluice.producer.follow.FollowerToEnd;
import io.sluice.producer.follow.ReplyRecord;
import io.sluice.producer.reply.ReplyEvent;
import io.sluice.producer.reply.RequestFailedException;
import io.sluice.producer.reply.StoredAnswer;
import io.sluice.producer.stream.StreamOwner;
import java.time.Instant;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import org.apache.kafka.common.TopicPartition;

/**
 * Reads the events of one answer up to the present end of its partition, or to its own end if that
 * comes first.
 */
final class Snapshot extends FollowerToEnd {
  private final String requestId;
  private final AnswerReading reading;
  private final CompletableFuture<StoredAnswer> result = new CompletableFuture<>();
  private final StreamOwner owner;
  private boolean isFinished;

  Snapshot(String requestId, TopicPartition partition, StreamOwner owner) {
    super(partition, OptionalLong.empty(), owner::nanoTime);
    this.requestId = requestId;
    this.reading = new AnswerReading(requestId);
    this.owner = owner;
  }

  /** Returns what was read, once it has been. Cancelling it ends the reading. */
  CompletableFuture<StoredAnswer> result() {
    return result;
  }

  @Override
  public Instant since() {
    return EarliestTime.of(requestId);
  }

  @Override
  public boolean accept(ReplyRecord record) {
    if (!isDone()) {
      reading.accept(record);
      if (reading.isOver()) {
        finish();
      }
    }
    return !isDone();
  }

  @Override
  protected void reachedEnd() {
    if (!isDone()) {
      finish();
    }
  }

  @Override
  public void failed(ErrorKind kind, String message) {
    if (isDone()) {
      return;
    }
    var failure = new RequestFailedException(ReplyEvent.Failed.local(kind, message));
    owner.executor().execute(() -> result.completeExceptionally(failure));
    isFinished = true;
  }

  @Override
  public boolean isDone() {
    return isFinished || result.isCancelled();
  }

  private void finish() {
    isFinished = true;
    StoredAnswer read = reading.result(nextOffset());
    // Callers' code may be attached to the future: it must not run on the thread that reads Kafka.
    owner.executor().execute(() -> result.complete(read));
  }
}
