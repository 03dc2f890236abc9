package io.sluice.producer.follow;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.stream.LongStream;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.MockConsumer;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.Test;

class FollowerGroupTest {
  private static final TopicPartition PARTITION = new TopicPartition("sluice.replies", 3);

  @Test
  void oneReadingServesFollowersThatAreNearEachOther() {
    // Given
    TestFollower behind = reader(100);
    TestFollower ahead = reader(20_100);
    FollowerGroup group = new FollowerGroup(ahead);

    // When
    assertThat(group.mayMerge(new FollowerGroup(behind))).isTrue();
    group.merge(new FollowerGroup(behind));

    // Then
    try (MockConsumer<String, byte[]> consumer = new MockConsumer<>("earliest")) {
      consumer.assign(List.of(PARTITION));
      consumer.updateBeginningOffsets(Map.of(PARTITION, 0L));
      assertThat(group.seek(consumer)).isTrue();
      assertThat(consumer.position(PARTITION)).isEqualTo(100);
    }
    group.read(records(100, 200));
    assertThat(behind.nextOffset()).hasValue(200);
    assertThat(ahead.nextOffset()).hasValue(20_100);
    group.read(records(200, 20_200));
    assertThat(behind.nextOffset()).hasValue(20_200);
    assertThat(ahead.nextOffset()).hasValue(20_200);
  }

  @Test
  void whoIsFarAheadDoesNotWait() {
    FollowerGroup behind = new FollowerGroup(reader(100));

    assertThat(behind.mayMerge(new FollowerGroup(reader(20_101)))).isFalse();
    assertThat(new FollowerGroup(reader(20_101)).mayMerge(behind)).isFalse();
  }

  @Test
  void whoHasNoPlaceYetIsLookedUpWithThoseOfItsTime() {
    FollowerGroup first = new FollowerGroup(from(PARTITION, 0));

    assertThat(first.mayMerge(new FollowerGroup(from(PARTITION, 30)))).isTrue();
    assertThat(first.mayMerge(new FollowerGroup(from(PARTITION, 31)))).isFalse();
    assertThat(first.mayMerge(new FollowerGroup(reader(0)))).isFalse();
    assertThat(first.mayMerge(new FollowerGroup(from(new TopicPartition(PARTITION.topic(), 4), 0))))
        .isFalse();
  }

  private static TestFollower reader(long offset) {
    return new TestFollower(PARTITION, OptionalLong.of(offset), Instant.EPOCH, Long.MAX_VALUE);
  }

  private static TestFollower from(TopicPartition partition, long second) {
    return new TestFollower(
        partition, OptionalLong.empty(), Instant.ofEpochSecond(second), Long.MAX_VALUE);
  }

  private static List<ConsumerRecord<String, byte[]>> records(long from, long to) {
    return LongStream.range(from, to)
        .mapToObj(
            offset ->
                new ConsumerRecord<>(
                    PARTITION.topic(), PARTITION.partition(), offset, "id", new byte[0]))
        .toList();
  }
}
