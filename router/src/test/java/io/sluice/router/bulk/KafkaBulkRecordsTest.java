package io.sluice.router.bulk;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.common.protocol.Topics;
import io.sluice.router.queue.BulkSize;
import io.sluice.router.queue.RequestKind;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.MockConsumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.TimeoutException;
import org.junit.jupiter.api.Test;

class KafkaBulkRecordsTest {
  private static final BulkLine LINE =
      new BulkLine("a", new BulkSize(new RequestKind("llama", "2k", List.of(), List.of()), 0));

  private final MockConsumer<byte[], byte[]> consumer = new MockConsumer<>("earliest");

  @Test
  void recordsAreReadByTheirOffsetsAndThoseThatAreGoneAreLeftOut() {
    // Given: the topic begins at 5 by now, and 7 was never there
    consumer.updateBeginningOffsets(Map.of(place(0), 5L, place(1), 0L));
    consumer.schedulePollTask(
        () -> {
          for (long offset : List.of(5L, 6L, 8L, 9L)) {
            consumer.addRecord(record(0, offset));
          }
          consumer.addRecord(record(1, 0));
        });
    ParkedRequest first = request(0, 6);
    ParkedRequest gone = request(0, 7);
    ParkedRequest last = request(0, 9);
    ParkedRequest other = request(1, 0);

    // When
    var found = new KafkaBulkRecords(consumer).read(List.of(last, gone, other, first)).found();

    // Then
    assertThat(found).containsOnlyKeys(first, last, other);
    assertThat(found.get(first).offset()).isEqualTo(6);
    assertThat(found.get(last).offset()).isEqualTo(9);
  }

  @Test
  void aPartitionIsReadAsOftenAsThereIsSomethingWantedOfIt() {
    // Given
    var records = new KafkaBulkRecords(consumer);
    consumer.updateBeginningOffsets(Map.of(place(0), 0L));
    ParkedRequest later = request(0, 3);
    ParkedRequest earlier = request(0, 1);
    consumer.schedulePollTask(() -> consumer.addRecord(record(0, 3)));
    records.read(List.of(later));

    // When
    consumer.schedulePollTask(() -> consumer.addRecord(record(0, 1)));

    // Then
    assertThat(records.read(List.of(earlier)).found()).containsOnlyKeys(earlier);
  }

  @Test
  void whatCannotBeReadNowIsNotTakenForGone() {
    consumer.updateBeginningOffsets(Map.of(place(0), 0L));
    ParkedRequest request = request(0, 3);

    var reading = new KafkaBulkRecords(consumer).read(List.of(request));

    assertThat(reading.found()).isEmpty();
    assertThat(reading.unread()).containsOnly(request);
  }

  @Test
  void aPartitionWithoutALeaderLeavesTheOthersReadable() {
    // Given
    var halved =
        new MockConsumer<byte[], byte[]>("earliest") {
          @Override
          public synchronized long position(TopicPartition partition) {
            if (partition.partition() == 1) {
              throw new TimeoutException("there is no leader");
            }
            return super.position(partition);
          }
        };
    halved.updateBeginningOffsets(Map.of(place(0), 0L, place(1), 0L));
    halved.schedulePollTask(() -> halved.addRecord(record(0, 2)));
    ParkedRequest readable = request(0, 2);
    ParkedRequest gone = request(0, 1);
    ParkedRequest unreadable = request(1, 2);

    // When
    var reading = new KafkaBulkRecords(halved).read(List.of(unreadable, gone, readable));

    // Then
    assertThat(reading.found()).containsOnlyKeys(readable);
    assertThat(reading.unread()).containsOnly(unreadable);
  }

  private static ParkedRequest request(int partition, long offset) {
    return new ParkedRequest(partition, offset, 10, 0, 0, 0, 100, LINE, 0);
  }

  private static ConsumerRecord<byte[], byte[]> record(int partition, long offset) {
    return new ConsumerRecord<>(Topics.BULK, partition, offset, new byte[0], new byte[0]);
  }

  private static TopicPartition place(int partition) {
    return new TopicPartition(Topics.BULK, partition);
  }
}
