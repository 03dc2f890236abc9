package io.sluice.router.stream;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.router.clock.PoolClock;
import io.sluice.router.log.BoundedAppendTimes;
import io.sluice.router.log.EndOffsets;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.apache.kafka.common.record.TimestampType;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Three brokers, of which the second leads the lane, and a router on a machine with a clock. */
class LaneTimestampsTest {
  private static final long START = 1_800_000_000_000L;
  private static final long HOURS = Duration.ofHours(2).toMillis();
  private static final TopicPartition LANE = new TopicPartition("sluice.requests.2k", 0);

  private long nanos = TimeUnit.SECONDS.toNanos(9);
  private final Map<TopicPartition, Long> lengths = new HashMap<>(Map.of(LANE, 0L));
  private final EndOffsets ends = new EndOffsets(this::lengths, () -> nanos);
  private final PoolClock clock =
      new PoolClock(() -> nanos, Clock.fixed(Instant.ofEpochMilli(START), ZoneOffset.UTC));
  private final LaneTimestamps timestamps =
      new LaneTimestamps(new BoundedAppendTimes(clock, ends, () -> nanos));

  @Test
  void outcomesAndControlOvertakeABacklogOfRequests() {
    brokersSay(0, 0, 0);

    assertThat(extract("sluice.outcomes", 5, START)).isZero();
    assertThat(extract("sluice.control", 5, START)).isZero();
    assertThat(extract("sluice.requests.2k", 5, START)).isEqualTo(START);
    assertThat(extract("sluice.requests.2k", 5, -1)).isZero();
  }

  @ParameterizedTest
  @ValueSource(longs = {-2, 0, 2})
  void aRequestIsAsOldAsTheClockOfItsOwnBrokerSays(long hours) {
    // Given
    brokersSay(0, hours * HOURS / 2, 0);
    long appended = START + hours * HOURS / 2;
    pass(Duration.ofSeconds(30));

    // Then
    assertThat(clock.millis()).isEqualTo(START + 30_000);
    assertThat(extract(LANE.topic(), 5, appended)).isEqualTo(START);
  }

  @ParameterizedTest
  @ValueSource(longs = {-2, 2})
  void whatWasAppendedWhileThisRouterLookedOnIsNotOlderThanThatThoughTheClockWasSet(long hours) {
    // Given: the log ends at 5, and the broker's clock is set, which nobody has noticed yet
    brokersSay(0, 0, 0);
    ends.watch(LANE);
    lengths.put(LANE, 5L);
    ends.ask();
    pass(Duration.ofMillis(300));

    // When
    long time = extract(LANE.topic(), 5, START + hours * HOURS);

    // Then
    assertThat(time).isBetween(START - 2, START + 300);
  }

  @Test
  void whatIsReadMuchLaterIsStillKnownNotToBeOlderThanTheEndThatItStoodBehind() {
    // Given
    brokersSay(0, 0, 0);
    ends.watch(LANE);
    lengths.put(LANE, 5L);
    ends.ask();
    extract(LANE.topic(), 2, START - 9_000);
    pass(Duration.ofSeconds(20));
    lengths.put(LANE, 90L);
    ends.ask();

    // Then
    assertThat(extract(LANE.topic(), 40, START - HOURS)).isBetween(START - 2, START);
    assertThat(extract(LANE.topic(), 40, START + 15_000)).isEqualTo(START + 15_000);
  }

  @Test
  void beforeAnyBrokerIsKnownNothingIsOld() {
    assertThat(extract(LANE.topic(), 5, START - HOURS)).isEqualTo(START);
  }

  private void brokersSay(long... aheadMillis) {
    clock.lead(Map.of(LANE, 1));
    for (int broker = 0; broker < aheadMillis.length; broker++) {
      clock.appended(broker, START + aheadMillis[broker], nanos, nanos);
    }
  }

  private void pass(Duration time) {
    nanos += time.toNanos();
  }

  private Map<TopicPartition, CompletionStage<Long>> lengths(Set<TopicPartition> partitions) {
    Map<TopicPartition, CompletionStage<Long>> answers = new HashMap<>();
    partitions.forEach(
        partition ->
            answers.put(partition, CompletableFuture.completedFuture(lengths.get(partition))));
    return answers;
  }

  private long extract(String topic, long offset, long timestamp) {
    return timestamps.extract(
        new ConsumerRecord<Object, Object>(
            topic,
            0,
            offset,
            timestamp,
            TimestampType.LOG_APPEND_TIME,
            0,
            0,
            null,
            null,
            new RecordHeaders(),
            Optional.empty()),
        7);
  }
}
