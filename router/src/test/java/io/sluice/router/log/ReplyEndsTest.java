package io.sluice.router.log;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.common.protocol.ReplyAddress;
import io.sluice.router.clock.PoolClock;
import io.sluice.router.request.ReplyStart;
import io.sluice.router.request.ReplyStarts;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.HashMap;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;
import org.junit.jupiter.api.Test;

class ReplyEndsTest {
  private static final long START = 1_800_000_000_000L;
  private static final long HOUR = Duration.ofHours(1).toMillis();
  private static final long MARGIN = ReplyStarts.MARGIN.toMillis();
  private static final ReplyAddress ADDRESS = new ReplyAddress("sluice.replies.shop", 3);
  private static final TopicPartition PARTITION = new TopicPartition("sluice.replies.shop", 3);

  private final Map<TopicPartition, Long> lengths = new HashMap<>(Map.of(PARTITION, 7L));
  private Set<TopicPartition> asked = Set.of();
  private long nanos = 5;
  private final EndOffsets offsets = new EndOffsets(this::lengths, () -> nanos);
  private final PoolClock clock =
      new PoolClock(() -> nanos, Clock.fixed(Instant.ofEpochMilli(START), ZoneOffset.UTC));
  private final ReplyEnds ends = new ReplyEnds(offsets, clock, () -> nanos);

  @Test
  void theFirstUseOfAPartitionGoesByTheClockOfItsLeaderAndLaterOnesByItsEnd() {
    // Given
    clock.lead(Map.of(PARTITION, 2));
    clock.appended(0, START, nanos, nanos);
    clock.appended(1, START, nanos, nanos);
    clock.appended(2, START + HOUR, nanos, nanos);

    // When
    ReplyStart first = ends.ofNow(ADDRESS, START);
    offsets.ask();
    ReplyStart second = ends.ofNow(ADDRESS, START);

    // Then
    assertThat(first).isEqualTo(new ReplyStart(OptionalLong.empty(), START + HOUR - MARGIN));
    assertThat(second.offset()).hasValue(7);
    assertThat(ends.since(ADDRESS, START - 5_000))
        .isEqualTo(new ReplyStart(OptionalLong.empty(), START + HOUR - MARGIN - 5_000));
  }

  @Test
  void theEndOfATopicThatIsGoneIsForgotten() {
    // Given
    ends.ofNow(ADDRESS, START);
    offsets.ask();

    // When
    lengths.remove(PARTITION);
    offsets.ask();

    // Then
    assertThat(ends.ofNow(ADDRESS, START).offset()).isEmpty();
    lengths.put(PARTITION, 0L);
    nanos += Duration.ofSeconds(2).toNanos();
    offsets.ask();
    assertThat(ends.ofNow(ADDRESS, START).offset()).hasValue(0);
  }

  @Test
  void whatIsNotUsedForTenMinutesIsWatchedNoMore() {
    // Given
    ends.ofNow(ADDRESS, START);
    nanos += Duration.ofMinutes(11).toNanos();

    // When
    ends.ofNow(new ReplyAddress("sluice.replies", 0), START);
    offsets.ask();

    // Then
    assertThat(asked).containsExactly(new TopicPartition("sluice.replies", 0));
  }

  private Map<TopicPartition, CompletionStage<Long>> lengths(Set<TopicPartition> partitions) {
    asked = partitions;
    Map<TopicPartition, CompletionStage<Long>> answers = new HashMap<>();
    partitions.forEach(
        partition -> {
          Long length = lengths.get(partition);
          answers.put(
              partition,
              length == null
                  ? CompletableFuture.failedFuture(new UnknownTopicOrPartitionException("gone"))
                  : CompletableFuture.completedFuture(length));
        });
    return answers;
  }
}
