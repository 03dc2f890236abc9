package io.sluice.bench.replay.log;

import io.sluice.producer.ClientConfig;
import io.sluice.producer.kafka.KafkaErrors;
import io.sluice.producer.kafka.KafkaSettings;
import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.InvalidOffsetException;
import org.apache.kafka.clients.consumer.OffsetAndTimestamp;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.PartitionInfo;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;

/**
 * A pool's topics, read without a consumer group. A read ends where the topic ended when it began.
 * All calls are bounded in time. Not thread-safe.
 */
final class PoolLog implements AutoCloseable {
  private static final Duration POLL = Duration.ofMillis(200);

  /** After so long without a record, the brokers count as gone. */
  private static final Duration SILENCE = Duration.ofSeconds(30);

  private final ClientConfig config;
  private final Consumer<String, byte[]> consumer;

  /** Opens a consumer; nothing is sent yet. */
  PoolLog(ClientConfig config) {
    this(config, KafkaSettings.consumer(config));
  }

  PoolLog(ClientConfig config, Consumer<String, byte[]> consumer) {
    this.config = config;
    this.consumer = consumer;
  }

  /** Returns the topics that exist. */
  KnownTopics topics() {
    try {
      Map<String, List<PartitionInfo>> found = consumer.listTopics(config.connectTimeout());
      return new KnownTopics(
          found.entrySet().stream()
              .collect(Collectors.toMap(Map.Entry::getKey, topic -> topic.getValue().size())));
    } catch (KafkaException e) {
      throw KafkaErrors.connecting(e, config.bootstrapServers());
    }
  }

  /** Returns all partitions of these topics. */
  static Set<TopicPartition> partitions(KnownTopics known, Collection<String> topics) {
    return topics.stream()
        .flatMap(
            topic ->
                IntStream.range(0, known.counts().getOrDefault(topic, 0))
                    .mapToObj(partition -> new TopicPartition(topic, partition)))
        .collect(Collectors.toSet());
  }

  /**
   * Reads the records that were appended in a time, those of a partition in order.
   *
   * @param fromMillis inclusive, in epoch milliseconds
   * @param toMillis exclusive, in epoch milliseconds
   * @return whether records may be missing at the beginning, because they were kept no longer
   */
  boolean read(
      Set<TopicPartition> partitions,
      long fromMillis,
      long toMillis,
      java.util.function.Consumer<ConsumerRecord<String, byte[]>> reader) {
    if (partitions.isEmpty()) {
      return false;
    }
    try {
      Map<TopicPartition, Long> ends = consumer.endOffsets(partitions, config.connectTimeout());
      Map<TopicPartition, Long> starts = starts(partitions, fromMillis);
      boolean isCut = isCut(starts);
      starts
          .entrySet()
          .removeIf(start -> start.getValue() >= ends.getOrDefault(start.getKey(), 0L));
      consumer.assign(starts.keySet());
      starts.forEach(consumer::seek);
      readTo(ends, toMillis, reader);
      return isCut;
    } catch (KafkaException e) {
      throw KafkaErrors.connecting(e, config.bootstrapServers());
    }
  }

  private Map<TopicPartition, Long> starts(Set<TopicPartition> partitions, long fromMillis) {
    Map<TopicPartition, Long> times =
        partitions.stream().collect(Collectors.toMap(each -> each, each -> fromMillis));
    Map<TopicPartition, Long> starts = new HashMap<>();
    consumer
        .offsetsForTimes(times, config.connectTimeout())
        .forEach((partition, found) -> put(starts, partition, found));
    return starts;
  }

  private static void put(
      Map<TopicPartition, Long> starts,
      TopicPartition partition,
      @Nullable OffsetAndTimestamp found) {
    // Nothing was appended since then.
    if (found != null) {
      starts.put(partition, found.offset());
    }
  }

  /**
   * Returns whether a partition begins with its first kept record, and that is not its first one.
   */
  private boolean isCut(Map<TopicPartition, Long> starts) {
    return consumer.beginningOffsets(starts.keySet(), config.connectTimeout()).entrySet().stream()
        .anyMatch(
            first -> first.getValue() > 0 && first.getValue().equals(starts.get(first.getKey())));
  }

  private void readTo(
      Map<TopicPartition, Long> ends,
      long toMillis,
      java.util.function.Consumer<ConsumerRecord<String, byte[]>> reader) {
    Set<TopicPartition> open = new HashSet<>(consumer.assignment());
    long lastNanos = System.nanoTime();
    while (!open.isEmpty()) {
      boolean isSilent = true;
      try {
        for (ConsumerRecord<String, byte[]> record : consumer.poll(POLL)) {
          isSilent = false;
          var partition = new TopicPartition(record.topic(), record.partition());
          boolean isBehind =
              record.offset() >= ends.getOrDefault(partition, 0L) || record.timestamp() >= toMillis;
          if (isBehind) {
            open.remove(partition);
          } else if (open.contains(partition)) {
            reader.accept(record);
          }
        }
      } catch (InvalidOffsetException e) {
        // The oldest records went while they were to be read.
        consumer.seekToBeginning(e.partitions());
      }
      open.removeIf(
          each -> consumer.position(each, config.connectTimeout()) >= ends.getOrDefault(each, 0L));
      Set<TopicPartition> done =
          consumer.assignment().stream()
              .filter(each -> !open.contains(each))
              .collect(Collectors.toSet());
      consumer.pause(done);
      lastNanos = isSilent ? lastNanos : System.nanoTime();
      if (System.nanoTime() - lastNanos > SILENCE.toNanos()) {
        throw new KafkaException(
            "the brokers sent no record of %s for %d s"
                .formatted(topicsOf(open), SILENCE.toSeconds()));
      }
    }
  }

  private static String topicsOf(Set<TopicPartition> partitions) {
    Stream<String> names = partitions.stream().map(TopicPartition::topic).distinct().sorted();
    return names.collect(Collectors.joining(", "));
  }

  @Override
  public void close() {
    consumer.close();
  }
}
