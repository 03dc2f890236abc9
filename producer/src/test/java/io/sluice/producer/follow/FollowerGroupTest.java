package io.sluice.producer.follow;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.common.protocol.ErrorKind;
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
    Reader behind = new Reader(PARTITION, OptionalLong.of(100), Instant.EPOCH);
    Reader ahead = new Reader(PARTITION, OptionalLong.of(20_100), Instant.EPOCH);
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
    assertThat(behind.next).hasValue(200);
    assertThat(ahead.next).hasValue(20_100);
    group.read(records(200, 20_200));
    assertThat(behind.next).hasValue(20_200);
    assertThat(ahead.next).hasValue(20_200);
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

  private static Reader reader(long offset) {
    return new Reader(PARTITION, OptionalLong.of(offset), Instant.EPOCH);
  }

  private static Reader from(TopicPartition partition, long second) {
    return new Reader(partition, OptionalLong.empty(), Instant.ofEpochSecond(second));
  }

  private static List<ConsumerRecord<String, byte[]>> records(long from, long to) {
    return LongStream.range(from, to)
        .mapToObj(
            offset ->
                new ConsumerRecord<>(
                    PARTITION.topic(), PARTITION.partition(), offset, "id", new byte[0]))
        .toList();
  }

  /** Wants everything. */
  private static final class Reader implements Follower {
    private final TopicPartition partition;
    private final Instant since;
    private OptionalLong next;

    Reader(TopicPartition partition, OptionalLong next, Instant since) {
      this.partition = partition;
      this.next = next;
      this.since = since;
    }

    @Override
    public TopicPartition partition() {
      return partition;
    }

    @Override
    public OptionalLong nextOffset() {
      return next;
    }

    @Override
    public Instant since() {
      return since;
    }

    @Override
    public boolean accept(ReplyRecord record) {
      return true;
    }

    @Override
    public void advanced(long offset) {
      next = OptionalLong.of(offset);
    }

    @Override
    public void idle() {}

    @Override
    public void failed(ErrorKind kind, String message) {
      throw new AssertionError(List.of(kind, message));
    }

    @Override
    public boolean isDone() {
      return false;
    }
  }
}
