package io.sluice.bench.torture.log;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.PartitionInfo;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.StringDeserializer;

/** Reads the pool's topics with a plain Kafka consumer. */
public final class LogReader implements AutoCloseable {
  private static final Duration POLL = Duration.ofMillis(200);

  private static final Duration KNOWN_WITHIN = Duration.ofSeconds(30);

  private final String kafka;
  private final List<String> topics;
  private final Journal journal;
  private final Thread thread;
  private volatile boolean stopped;

  private LogReader(String kafka, List<String> topics, Journal journal) {
    this.kafka = kafka;
    this.topics = topics;
    this.journal = journal;
    this.thread = Thread.ofPlatform().name("log-reader").daemon().unstarted(this::follow);
  }

  /** Reads topics from their start and follows them. */
  public static LogReader following(String kafka, List<String> topics, Journal journal) {
    var reader = new LogReader(kafka, topics, journal);
    reader.thread.start();
    return reader;
  }

  static KafkaConsumer<String, byte[]> consumer(String kafka) {
    return new KafkaConsumer<>(
        Map.of(
            ConsumerConfig.BOOTSTRAP_SERVERS_CONFIG,
            kafka,
            ConsumerConfig.AUTO_OFFSET_RESET_CONFIG,
            "earliest",
            ConsumerConfig.ENABLE_AUTO_COMMIT_CONFIG,
            false,
            ConsumerConfig.MAX_POLL_RECORDS_CONFIG,
            5_000),
        new StringDeserializer(),
        new ByteArrayDeserializer());
  }

  private void follow() {
    try (var consumer = consumer(kafka)) {
      List<TopicPartition> partitions = partitions(consumer, topics);
      consumer.assign(partitions);
      consumer.seekToBeginning(partitions);
      while (!stopped) {
        take(consumer, journal);
      }
    } catch (KafkaException e) {
      if (!stopped) {
        throw e;
      }
    }
  }

  /** Reads all topics from start to end, as a reader does that starts after the run. */
  public static void readAll(String kafka, Journal journal) {
    try (var consumer = consumer(kafka)) {
      List<TopicPartition> partitions = partitions(consumer, Journal.TOPICS);
      consumer.assign(partitions);
      consumer.seekToBeginning(partitions);
      Map<TopicPartition, Long> ends = consumer.endOffsets(partitions);
      while (ends.entrySet().stream()
          .anyMatch(end -> consumer.position(end.getKey()) < end.getValue())) {
        take(consumer, journal);
      }
    }
  }

  private static void take(KafkaConsumer<String, byte[]> consumer, Journal journal) {
    ConsumerRecords<String, byte[]> records = consumer.poll(POLL);
    long seenMillis = System.currentTimeMillis();
    for (ConsumerRecord<String, byte[]> record : records) {
      journal.add(record, seenMillis);
    }
  }

  /** Waits for a new topic, because brokers learn of it a moment after it was created. */
  private static List<TopicPartition> partitions(
      KafkaConsumer<String, byte[]> consumer, List<String> topics) {
    long end = System.nanoTime() + KNOWN_WITHIN.toNanos();
    List<TopicPartition> all = new ArrayList<>();
    for (String topic : topics) {
      List<PartitionInfo> known = consumer.partitionsFor(topic);
      while (known.isEmpty() && System.nanoTime() - end < 0) {
        known = consumer.partitionsFor(topic);
      }
      known.forEach(info -> all.add(new TopicPartition(topic, info.partition())));
    }
    return all;
  }

  @Override
  public void close() {
    stopped = true;
    awaitEnd(thread);
  }

  /** Waits for a reader that was told to stop. */
  static void awaitEnd(Thread reader) {
    try {
      reader.join(TimeUnit.SECONDS.toMillis(10));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
