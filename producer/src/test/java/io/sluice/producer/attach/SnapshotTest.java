package io.sluice.producer.attach;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.common.protocol.RequestId;
import io.sluice.common.protocol.Topics;
import io.sluice.producer.follow.Follower;
import io.sluice.producer.stream.FoldedStream;
import io.sluice.producer.stream.StreamOwner;
import io.sluice.producer.stream.UnreadBytes;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.Test;

class SnapshotTest {
  @Test
  void aReadingThatIsCancelledTakesNoMoreRecords() {
    // Given
    Snapshot snapshot =
        new Snapshot(RequestId.next(), new TopicPartition(Topics.REPLIES, 0), new IdleOwner());
    assertThat(snapshot.isDone()).isFalse();

    // When
    snapshot.result().cancel(true);

    // Then
    assertThat(snapshot.isDone()).isTrue();
  }

  private static final class IdleOwner implements StreamOwner {
    @Override
    public Executor executor() {
      return Runnable::run;
    }

    @Override
    public int bufferedEvents() {
      return 0;
    }

    @Override
    public UnreadBytes unreadBytes() {
      return new UnreadBytes(Long.MAX_VALUE);
    }

    @Override
    public void ended(FoldedStream stream) {}

    @Override
    public long nanoTime() {
      return 0;
    }

    @Override
    public CompletableFuture<Void> cancel(FoldedStream stream) {
      return CompletableFuture.completedFuture(null);
    }

    @Override
    public void follow(Follower follower) {}
  }
}
