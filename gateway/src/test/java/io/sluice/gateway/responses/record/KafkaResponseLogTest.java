package io.sluice.gateway.responses.record;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.sluice.common.protocol.ErrorKind;
import io.sluice.common.protocol.Json;
import io.sluice.common.protocol.RequestId;
import io.sluice.common.protocol.Topics;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.MockConsumer;
import org.apache.kafka.clients.consumer.OffsetAndTimestamp;
import org.apache.kafka.clients.producer.MockProducer;
import org.apache.kafka.common.Node;
import org.apache.kafka.common.PartitionInfo;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.RecordTooLargeException;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.apache.kafka.common.record.TimestampType;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.apache.kafka.common.serialization.StringSerializer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** One partition, whose records the test writes. */
class KafkaResponseLogTest {
  private static final TopicPartition PARTITION = new TopicPartition(Topics.RESPONSES, 0);
  private static final long CACHE = 1_000_000;

  private final List<ConsumerRecord<String, byte[]>> records = new ArrayList<>();
  private final MockProducer<String, byte[]> producer =
      new MockProducer<>(true, null, new StringSerializer(), new ByteArraySerializer());
  private final Partition consumer = new Partition();
  private final KafkaResponseLog log =
      new KafkaResponseLog(producer, consumer, Duration.ofSeconds(1), CACHE);
  private final CreatedResponse created = created(RequestId.next());

  @Test
  void aResponseThatAnotherGatewayWroteIsFound() {
    // Given
    write(created(RequestId.next()));
    write(created);

    // Then
    assertThat(log.find(created.requestId())).contains(created);
  }

  @Test
  void whatIsKnownIsNotReadAgain() {
    // Given
    write(created);
    assertThat(log.find(created.requestId())).isPresent();
    int reads = consumer.reads;

    // Then
    assertThat(log.find(created.requestId())).contains(created);
    assertThat(consumer.reads).isEqualTo(reads);
  }

  @Test
  void aDeletionByAnotherGatewayIsSeenAlsoOfAKnownResponse() {
    // Given
    write(created);
    assertThat(log.find(created.requestId())).isPresent();

    // When
    write(new DeletedResponse(created.requestId()));

    // Then
    assertThat(log.find(created.requestId())).isEmpty();
    assertThat(log.find(created.requestId())).isEmpty();
  }

  @Test
  void anUnknownIdIsNotFound() {
    write(created);

    assertThat(log.find(RequestId.next())).isEmpty();
    assertThat(log.find(RequestId.derived(Instant.EPOCH, "seed"))).isEmpty();
  }

  @Test
  void recordsOfOtherVersionsAreIgnored() {
    writeRaw(created.requestId(), "{\"v\":2,\"type\":\"created\"}".getBytes());
    writeRaw(created.requestId(), "garbage".getBytes());

    assertThat(log.find(created.requestId())).isEmpty();
  }

  @Test
  void anAppendedRecordIsWrittenUnderItsRequest() {
    // When
    log.append(created);

    // Then
    assertThat(producer.history())
        .singleElement()
        .satisfies(
            record -> {
              assertThat(record.topic()).isEqualTo(Topics.RESPONSES);
              assertThat(record.key()).isEqualTo(created.requestId());
              assertThat(RecordFormat.parse(record.key(), record.value())).contains(created);
            });
  }

  @Test
  void aResponseThatIsTooLargeIsTheCallersError() {
    // Given
    producer.sendException = new RecordTooLargeException("9 MiB");

    // Then
    assertThatThrownBy(() -> log.append(created))
        .isInstanceOfSatisfying(
            ResponseLogException.class,
            e -> assertThat(e.kind()).isEqualTo(ErrorKind.INVALID_REQUEST));
  }

  @Test
  void aCacheKeepsWhatWasUsedLast() {
    // Given
    RecordCache cache = new RecordCache(2_000);
    var known = new RecordCache.Known(Optional.of(created), 1, 100);
    cache.put("1", known);
    cache.put("2", known);
    cache.put("3", known);
    assertThat(cache.get("1")).isPresent();

    // When
    cache.put("4", known);

    // Then
    assertThat(cache.get("2")).isEmpty();
    assertThat(cache.get("1")).isPresent();
    assertThat(cache.get("4")).isPresent();
  }

  private void write(ResponseRecord record) {
    writeRaw(record.requestId(), RecordFormat.toJson(record));
  }

  private void writeRaw(String key, byte[] value) {
    records.add(
        new ConsumerRecord<>(
            PARTITION.topic(),
            PARTITION.partition(),
            records.size(),
            System.currentTimeMillis(),
            TimestampType.LOG_APPEND_TIME,
            key.length(),
            value.length,
            key,
            value,
            new RecordHeaders(),
            Optional.empty()));
  }

  private static CreatedResponse created(String requestId) {
    ObjectNode request = Json.mapper().createObjectNode().put("model", "m").put("input", "x");
    return new CreatedResponse(
        requestId,
        "tenant",
        Instant.ofEpochMilli(1_790_000_000_123L),
        Instant.ofEpochMilli(1_790_000_600_123L),
        Map.of("x-sluice-tier", "fast"),
        request,
        Json.mapper().createArrayNode());
  }

  /** Delivers the records from the position to which it was sent. */
  private final class Partition extends MockConsumer<String, byte[]> {
    private int reads;

    Partition() {
      super("none");
      updatePartitions(
          Topics.RESPONSES,
          List.of(new PartitionInfo(Topics.RESPONSES, 0, Node.noNode(), null, null)));
      updateBeginningOffsets(Map.of(PARTITION, 0L));
    }

    @Override
    public synchronized Map<TopicPartition, Long> endOffsets(
        Collection<TopicPartition> partitions, Duration timeout) {
      return Map.of(PARTITION, (long) records.size());
    }

    @Override
    public synchronized ConsumerRecords<String, byte[]> poll(Duration timeout) {
      reads++;
      records.stream().filter(r -> r.offset() >= position(PARTITION)).forEach(this::addRecord);
      return super.poll(timeout);
    }

    @Override
    public synchronized Map<TopicPartition, OffsetAndTimestamp> offsetsForTimes(
        Map<TopicPartition, Long> times, Duration timeout) {
      Map<TopicPartition, OffsetAndTimestamp> found = new HashMap<>();
      times.forEach((partition, time) -> found.put(partition, first(time)));
      return found;
    }

    /** Kafka returns null if there is no record since. */
    private @Nullable OffsetAndTimestamp first(long time) {
      return records.stream()
          .filter(record -> record.timestamp() >= time)
          .findFirst()
          .map(record -> new OffsetAndTimestamp(record.offset(), record.timestamp()))
          .orElse(null);
    }
  }
}
