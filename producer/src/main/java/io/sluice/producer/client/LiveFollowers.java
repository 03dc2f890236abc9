package io.sluice.producer.client;

import io.sluice.common.protocol.ErrorKind;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.RetriableException;
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
  private final java.util.function.Consumer<FollowerGroup> alone;
  private boolean isDisplaced = true;

  /**
   * Creates an empty set.
   *
   * @param alone serves a group by itself, so that one that cannot be read does not affect others
   */
  LiveFollowers(
      Consumer<String, byte[]> consumer, java.util.function.Consumer<FollowerGroup> alone) {
    this.consumer = consumer;
    this.alone = alone;
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

  /**
   * Reads the next records, if there are any in time, and passes them on.
   *
   * @return whether there were any, and a follower wants more
   */
  boolean poll(Duration atMost) {
    try {
      if (isDisplaced) {
        consumer.assign(groups.keySet());
        groups.values().forEach(group -> group.seek(consumer));
        isDisplaced = false;
      }
      ConsumerRecords<String, byte[]> records = consumer.poll(atMost);
      groups.forEach((partition, group) -> group.read(records.records(partition)));
      isDisplaced = groups.values().removeIf(FollowerGroup::isEmpty);
      return !records.isEmpty() && !groups.isEmpty();
    } catch (RetriableException e) {
      log.debug("event=follow_failed", e);
    } catch (RuntimeException e) {
      log.warn("event=follow_failed reason=\"{}\"", e.getMessage());
      groups.values().forEach(alone);
      groups.clear();
    }
    return false;
  }

  /** Ends all followers. */
  void fail(String message) {
    groups.values().forEach(group -> group.fail(ErrorKind.UNAVAILABLE, message));
    groups.clear();
  }
}
