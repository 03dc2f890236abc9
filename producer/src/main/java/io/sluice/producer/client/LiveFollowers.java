package io.sluice.producer.client;

import io.sluice.common.protocol.ErrorKind;
import io.sluice.producer.kafka.KafkaErrors;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.InvalidOffsetException;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Followers that have read nearly all that their partitions hold. One consumer reads all these
 * partitions at once, however many followers there are. Not thread-safe.
 */
final class LiveFollowers {
  private static final Logger log = LoggerFactory.getLogger(LiveFollowers.class);

  private final Consumer<String, byte[]> consumer;
  private final Map<TopicPartition, FollowerGroup> groups = new HashMap<>();
  private boolean isDisplaced = true;

  LiveFollowers(Consumer<String, byte[]> consumer) {
    this.consumer = consumer;
  }

  boolean isEmpty() {
    return groups.isEmpty();
  }

  /** Adds followers. */
  void join(FollowerGroup more) {
    FollowerGroup group = groups.putIfAbsent(more.partition(), more);
    if (group != null) {
      group.merge(more);
    }
    isDisplaced = true;
  }

  /** The consumer has read something else in the meantime. */
  void displaced() {
    isDisplaced = true;
  }

  /** Reads the next records, if there are any in time, and passes them on. */
  void poll(Duration atMost) {
    try {
      if (isDisplaced) {
        consumer.assign(groups.keySet());
        groups.values().forEach(group -> group.seek(consumer));
        isDisplaced = false;
      }
      ConsumerRecords<String, byte[]> records = consumer.poll(atMost);
      groups.forEach((partition, group) -> group.read(records.records(partition)));
      isDisplaced = groups.values().removeIf(FollowerGroup::isEmpty);
    } catch (InvalidOffsetException e) {
      isDisplaced = true;
      for (TopicPartition partition : e.partitions()) {
        Optional.ofNullable(groups.remove(partition))
            .ifPresent(group -> group.fail(ErrorKind.REPLY_TRUNCATED, Rereader.TRUNCATED));
      }
    } catch (KafkaException | IllegalStateException e) {
      log.warn("event=follow_failed reason=\"{}\"", e.getMessage());
      fail(Rereader.UNREADABLE + KafkaErrors.rootMessage(e));
    }
  }

  /** Ends all followers. */
  void fail(String message) {
    groups.values().forEach(group -> group.fail(ErrorKind.UNAVAILABLE, message));
    groups.clear();
  }
}
