package io.sluice.producer.client;

import io.sluice.common.protocol.ErrorKind;
import io.sluice.common.reply.ReplyFold;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import org.apache.kafka.common.TopicPartition;

/**
 * Reads the events of one answer up to the present end of its partition, or to its own end if that
 * comes first.
 */
final class Snapshot implements Follower {
  private final String requestId;
  private final TopicPartition partition;
  private final LiveAnswer answer;
  private final List<ReplyEvent> events = new ArrayList<>();
  private final CompletableFuture<List<ReplyEvent>> result = new CompletableFuture<>();
  private final StreamOwner owner;
  private ReplyFold fold = ReplyFold.fromAnywhere();
  private OptionalLong nextOffset = OptionalLong.empty();
  private long endedAt;
  private boolean isFinished;

  Snapshot(String requestId, TopicPartition partition, StreamOwner owner) {
    this.requestId = requestId;
    this.partition = partition;
    this.answer = new LiveAnswer(requestId);
    this.owner = owner;
  }

  /** Returns the events, once they have been read. */
  CompletableFuture<List<ReplyEvent>> result() {
    return result.copy();
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
    return Tail.beginning(requestId);
  }

  @Override
  public boolean accept(ReplyRecord record) {
    if (record.headers().requestId().equals(requestId) && !isDone()) {
      ReplyFold.Step step = fold.next(record.headers());
      fold = step.fold();
      events.addAll(answer.next(step.verdict(), record));
      if (fold.isOver()) {
        finish();
      }
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

  @Override
  public void idle() {
    if (nextOffset.orElse(0) >= endedAt && !isDone()) {
      finish();
    }
  }

  @Override
  public void failed(ErrorKind kind, String message) {
    var failure = new RequestFailedException(ReplyEvent.Failed.local(kind, message));
    owner.executor().execute(() -> result.completeExceptionally(failure));
    isFinished = true;
  }

  @Override
  public boolean isDone() {
    return isFinished;
  }

  private void finish() {
    isFinished = true;
    List<ReplyEvent> read = List.copyOf(events);
    // Callers' code may be attached to the future: it must not run on the thread that reads Kafka.
    owner.executor().execute(() -> result.complete(read));
  }
}
