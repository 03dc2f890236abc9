package io.sluice.producer.follow;

import io.sluice.common.protocol.ErrorKind;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.RetriableException;
import org.apache.kafka.common.errors.WakeupException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Followers that have read nearly all that their partitions hold. One consumer reads all these
 * partitions at once, however many followers there are. Not thread-safe.
 */
final class LiveFollowers implements FollowerThread.Service {
  private static final Duration POLL = Duration.ofMillis(100);
  private static final Logger log = LoggerFactory.getLogger(LiveFollowers.class);

  private final Supplier<Optional<FollowerGroup>> joining;
  private final Consumer<String, byte[]> consumer;
  private final Map<TopicPartition, FollowerGroup> groups = new HashMap<>();
  private final java.util.function.Consumer<FollowerGroup> alone;
  private final List<FollowerGroup> joined = new ArrayList<>();
  private boolean isChanged;

  /**
   * Creates an empty set.
   *
   * @param joining returns the groups that join, one at a time
   * @param alone serves a group by itself, so that one that cannot be read does not affect others
   */
  LiveFollowers(
      Supplier<Optional<FollowerGroup>> joining,
      Consumer<String, byte[]> consumer,
      java.util.function.Consumer<FollowerGroup> alone) {
    this.joining = joining;
    this.consumer = consumer;
    this.alone = alone;
  }

  @Override
  public boolean isEmpty() {
    return groups.isEmpty();
  }

  /** Reads the next records, if there are any in time, and passes them on. */
  @Override
  public void serve() {
    for (var more = joining.get(); more.isPresent(); more = joining.get()) {
      join(more.get());
    }
    try {
      follow();
      ConsumerRecords<String, byte[]> records = consumer.poll(POLL);
      groups.forEach((partition, group) -> group.read(records.records(partition)));
      isChanged = groups.values().removeIf(FollowerGroup::isEmpty);
    } catch (WakeupException e) {
      // Others join.
    } catch (RetriableException e) {
      log.debug("event=follow_failed", e);
    } catch (RuntimeException e) {
      log.warn("event=follow_failed reason=\"{}\"", e.getMessage());
      groups.values().forEach(alone);
      groups.clear();
      joined.clear();
      isChanged = true;
    }
  }

  /** Those who join do not disturb the reading of partitions that others follow. */
  private void follow() {
    if (isChanged) {
      consumer.assign(groups.keySet());
      isChanged = false;
    }
    joined.forEach(group -> group.seek(consumer));
    joined.clear();
  }

  private void join(FollowerGroup more) {
    FollowerGroup known = groups.putIfAbsent(more.partition(), more);
    if (known == null) {
      isChanged = true;
      joined.add(more);
    } else {
      known.merge(more);
      joined.add(known);
    }
  }

  @Override
  public void fail(String reason) {
    groups.values().forEach(group -> group.fail(ErrorKind.UNAVAILABLE, reason));
    groups.clear();
  }
}
