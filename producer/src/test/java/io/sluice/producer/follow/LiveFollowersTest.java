package io.sluice.producer.follow;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayDeque;
import java.util.Map;
import java.util.Optional;
import java.util.Queue;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.MockConsumer;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.Test;

class LiveFollowersTest {
  private static final TopicPartition PARTITION = new TopicPartition("sluice.replies", 3);

  private final MockConsumer<String, byte[]> consumer = new MockConsumer<>("earliest");
  private final Queue<FollowerGroup> joining = new ArrayDeque<>();
  private final LiveFollowers followers =
      new LiveFollowers(() -> Optional.ofNullable(joining.poll()), consumer, group -> {});

  @Test
  void nothingIsLeftToReadWhenTheLastFollowerIsDone() {
    // Given
    joining.add(new FollowerGroup(TestFollower.wanting(PARTITION, 1)));
    consumer.schedulePollTask(
        () -> {
          consumer.updateBeginningOffsets(Map.of(PARTITION, 0L));
          consumer.addRecord(
              new ConsumerRecord<>(PARTITION.topic(), PARTITION.partition(), 0, "id", new byte[0]));
        });

    // When
    followers.serve();

    // Then
    assertThat(followers.isEmpty()).isTrue();
  }

  @Test
  void whoJoinsDoesNotMoveTheOthers() {
    // Given
    TopicPartition other = new TopicPartition(PARTITION.topic(), 4);
    joining.add(new FollowerGroup(TestFollower.wanting(PARTITION, 9)));
    consumer.schedulePollTask(
        () -> consumer.updateBeginningOffsets(Map.of(PARTITION, 0L, other, 0L)));
    followers.serve();
    // What a fetch that is under way is for.
    consumer.seek(PARTITION, 5);

    // When
    joining.add(new FollowerGroup(TestFollower.wanting(other, 9)));
    followers.serve();

    // Then
    assertThat(consumer.assignment()).containsExactlyInAnyOrder(PARTITION, other);
    assertThat(consumer.position(PARTITION)).isEqualTo(5);
    assertThat(consumer.position(other)).isZero();
  }
}
