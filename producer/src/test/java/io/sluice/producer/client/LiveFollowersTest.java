package io.sluice.producer.client;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.common.protocol.ErrorKind;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.MockConsumer;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.Test;

class LiveFollowersTest {
  private static final TopicPartition PARTITION = new TopicPartition("sluice.replies", 3);

  private final MockConsumer<String, byte[]> consumer = new MockConsumer<>("earliest");
  private final LiveFollowers followers = new LiveFollowers(consumer, group -> {});

  @Test
  void nothingIsLeftToReadWhenTheLastFollowerIsDone() {
    // Given
    followers.join(new FollowerGroup(new OneRecord()));
    consumer.schedulePollTask(
        () -> {
          consumer.updateBeginningOffsets(Map.of(PARTITION, 0L));
          consumer.addRecord(
              new ConsumerRecord<>(PARTITION.topic(), PARTITION.partition(), 0, "id", new byte[0]));
        });

    // When
    boolean isMore = followers.poll(Duration.ofMillis(1));

    // Then
    assertThat(isMore).isFalse();
    assertThat(followers.isEmpty()).isTrue();
  }

  /** Wants the first record only. */
  private static final class OneRecord implements Follower {
    private boolean isDone;

    @Override
    public TopicPartition partition() {
      return PARTITION;
    }

    @Override
    public OptionalLong nextOffset() {
      return OptionalLong.of(0);
    }

    @Override
    public Instant since() {
      return Instant.EPOCH;
    }

    @Override
    public boolean accept(ReplyRecord record) {
      return true;
    }

    @Override
    public void advanced(long offset) {
      isDone = true;
    }

    @Override
    public void idle() {}

    @Override
    public void failed(ErrorKind kind, String message) {
      throw new AssertionError(List.of(kind, message));
    }

    @Override
    public boolean isDone() {
      return isDone;
    }
  }
}
