package io.sluice.producer.deadletter;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.sluice.common.protocol.Partitions;
import io.sluice.common.protocol.Topics;
import io.sluice.producer.ClientConfig;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.IntStream;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.MockConsumer;
import org.apache.kafka.clients.consumer.OffsetAndTimestamp;
import org.apache.kafka.clients.producer.MockProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.Node;
import org.apache.kafka.common.PartitionInfo;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.header.Headers;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.apache.kafka.common.record.TimestampType;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.apache.kafka.common.serialization.StringSerializer;

/** A topic of dead letters without a broker, and the requests that are redriven from it. */
final class MockDeadLetterTopic {
  static final int PARTITIONS = 4;
  static final long START = 1_790_000_000_000L;
  static final String HISTORY =
      """
      {"attempts":2,"tokens":5,"last":[{"attempt":1,"worker":"w1","lease":"l1",\
      "start_epoch_millis":1,"end_epoch_millis":2,"tokens":5,\
      "end":{"reason":"failed","code":"stall","status":500,"message":"it hung"}}]}""";

  private static final ClientConfig CONFIG = ClientConfig.at("kafka:1");
  private final List<ConsumerRecord<String, byte[]>> log = new ArrayList<>();
  final MockProducer<String, byte[]> producer;

  MockDeadLetterTopic() {
    this(true);
  }

  MockDeadLetterTopic(boolean isAcknowledging) {
    producer =
        new MockProducer<>(
            isAcknowledging, null, new StringSerializer(), new ByteArraySerializer());
  }

  private final class Topic extends MockConsumer<String, byte[]> {
    Topic() {
      super("none");
      updatePartitions(
          Topics.DEAD_LETTERS,
          IntStream.range(0, PARTITIONS)
              .mapToObj(
                  number ->
                      new PartitionInfo(Topics.DEAD_LETTERS, number, Node.noNode(), null, null))
              .toList());
    }

    @Override
    public synchronized void seek(TopicPartition partition, long offset) {
      super.seek(partition, offset);
      updateBeginningOffsets(Map.of(partition, 0L));
      recordsOf(partition).stream()
          .filter(record -> record.offset() >= offset)
          .forEach(this::addRecord);
    }

    @Override
    public synchronized Map<TopicPartition, Long> beginningOffsets(
        Collection<TopicPartition> partitions, Duration timeout) {
      Map<TopicPartition, Long> all = new HashMap<>();
      partitions.forEach(partition -> all.put(partition, 0L));
      return all;
    }

    @Override
    public synchronized Map<TopicPartition, Long> endOffsets(
        Collection<TopicPartition> partitions, Duration timeout) {
      Map<TopicPartition, Long> all = new HashMap<>();
      partitions.forEach(partition -> all.put(partition, (long) recordsOf(partition).size()));
      return all;
    }

    @Override
    @SuppressWarnings("NullAway") // as in Kafka
    public synchronized Map<TopicPartition, OffsetAndTimestamp> offsetsForTimes(
        Map<TopicPartition, Long> times, Duration timeout) {
      Map<TopicPartition, OffsetAndTimestamp> all = new HashMap<>();
      times.forEach(
          (partition, time) ->
              all.put(
                  partition,
                  recordsOf(partition).stream()
                      .filter(record -> record.timestamp() >= time)
                      .findFirst()
                      .map(found -> new OffsetAndTimestamp(found.offset(), found.timestamp()))
                      .orElse(null)));
      return all;
    }
  }

  private List<ConsumerRecord<String, byte[]>> recordsOf(TopicPartition partition) {
    return log.stream().filter(record -> record.partition() == partition.partition()).toList();
  }

  /** A dead letter as the router writes it, with these headers added or replaced. */
  void deadLetter(String id, String... headers) {
    deadLetterHolding(id, "{\"of\":\"" + id + "\"}", headers);
  }

  void deadLetterHolding(String id, String body, String... headers) {
    Map<String, String> all = new LinkedHashMap<>();
    all.put("endpoint", "/v1/chat/completions");
    all.put("sluice", "1");
    all.put("request-id", id);
    all.put("error-code", "engine_error");
    all.put("error-message", "3 attempts failed");
    all.put("source-topic", "sluice.requests.8k");
    all.put("source-partition", "1");
    all.put("source-offset", "17");
    all.put("append-time", Long.toString(START - 1_000));
    all.put("model", "m");
    all.put("history", HISTORY);
    for (int i = 0; i < headers.length; i += 2) {
      all.put(headers[i], headers[i + 1]);
    }
    Headers written = new RecordHeaders();
    all.forEach((name, value) -> written.add(name, value.getBytes(UTF_8)));
    append(Partitions.of(id, PARTITIONS), id, body.getBytes(UTF_8), written);
  }

  /** A dead letter for a record that a router failed to process. */
  void unprocessed(String id, String topic, int partition, int offset) {
    Headers written =
        new RecordHeaders()
            .add("sluice", "1".getBytes(UTF_8))
            .add("request-id", id.getBytes(UTF_8))
            .add("error-code", "unprocessed".getBytes(UTF_8))
            .add("error-message", "java.lang.ArithmeticException: long overflow".getBytes(UTF_8))
            .add("source-topic", topic.getBytes(UTF_8))
            .add("source-partition", Integer.toString(partition).getBytes(UTF_8))
            .add("source-offset", Integer.toString(offset).getBytes(UTF_8));
    append(Partitions.of(id, PARTITIONS), id, new byte[0], written);
  }

  private void append(int partition, String key, byte[] value, Headers headers) {
    log.add(
        new ConsumerRecord<>(
            Topics.DEAD_LETTERS,
            partition,
            recordsOf(new TopicPartition(Topics.DEAD_LETTERS, partition)).size(),
            START + log.size(),
            TimestampType.LOG_APPEND_TIME,
            key.length(),
            value.length,
            key,
            value,
            headers,
            Optional.empty()));
  }

  List<DeadLetter> list(DeadLetterFilter filter) {
    return new DeadLetterLog(CONFIG, new Topic(), System::nanoTime).list(filter);
  }

  Optional<byte[]> body(String id) {
    return new DeadLetterLog(CONFIG, new Topic(), System::nanoTime).body(id);
  }

  /** Redrives, and adds the written marks to the topic. */
  List<Redrive.Result> redrive(DeadLetterFilter filter, Optional<Duration> timeout) {
    int before = producer.history().size();
    DeadLetterLog deadLetters = new DeadLetterLog(CONFIG, new Topic(), System::nanoTime);
    Clock clock = Clock.fixed(Instant.ofEpochMilli(START + 60_000), ZoneOffset.UTC);
    try {
      return new Redrive(CONFIG, deadLetters, producer, clock).redrive(filter, timeout);
    } finally {
      producer.history().stream()
          .skip(before)
          .filter(record -> record.topic().equals(Topics.DEAD_LETTERS))
          .forEach(mark -> append(mark.partition(), mark.key(), mark.value(), mark.headers()));
    }
  }

  /** Returns the requests that were sent again. */
  List<ProducerRecord<String, byte[]>> requests() {
    return producer.history().stream()
        .filter(record -> !record.topic().equals(Topics.DEAD_LETTERS))
        .toList();
  }

  static Map<String, String> texts(Headers headers) {
    Map<String, String> texts = new LinkedHashMap<>();
    for (Header header : headers) {
      texts.put(header.key(), new String(header.value(), UTF_8));
    }
    return texts;
  }
}
