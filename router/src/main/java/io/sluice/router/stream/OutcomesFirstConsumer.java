package io.sluice.router.stream;

import io.sluice.common.protocol.Topics;
import java.time.Duration;
import java.util.Collection;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.function.LongSupplier;
import java.util.function.Predicate;
import org.apache.kafka.clients.consumer.CloseOptions;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;

/**
 * The consumer of a stream thread, which reads no requests while outcomes wait ({@link LaneGate}).
 * Kafka Streams processes everything from one poll before it polls again, so the order of the
 * inputs can only be decided here, by what the next poll may return. It also reports how many
 * partitions it is assigned, and the positions from which outcomes are read. For one thread, like
 * any consumer.
 */
final class OutcomesFirstConsumer extends KafkaConsumer<byte[], byte[]> {
  /**
   * How long to wait for records while time itself changes nothing. Each poll, and each task's tick
   * after it, costs the same whether or not there are records. Much shorter than the pause after
   * which a task trusts no silence ({@code LeaseWatch.OWN_PAUSE}).
   */
  static final Duration IDLE_POLL = Duration.ofMillis(250);

  private static final String LANES = "sluice.requests.";

  private final LaneGate gate;
  private final StartPositions starts;
  private final OwnedPartitions partitions;
  private final LongSupplier nanoClock;
  private final Set<TopicPartition> pausedByStreams = new HashSet<>();
  private final Set<TopicPartition> begun = new HashSet<>();
  private Set<TopicPartition> assigned = Set.of();
  private Set<TopicPartition> lanes = Set.of();
  private Set<TopicPartition> outcomes = Set.of();
  private boolean isOpen = true;

  OutcomesFirstConsumer(
      Map<String, Object> config,
      StartPositions starts,
      OwnedPartitions partitions,
      LongSupplier nanoClock) {
    super(config, new ByteArrayDeserializer(), new ByteArrayDeserializer());
    this.starts = starts;
    this.partitions = partitions;
    this.nanoClock = nanoClock;
    this.gate = new LaneGate(nanoClock.getAsLong());
  }

  @Override
  public ConsumerRecords<byte[], byte[]> poll(Duration timeout) {
    noteAssignment();
    Duration patience = timeout.isPositive() && partitions.areIdle() ? IDLE_POLL : timeout;
    ConsumerRecords<byte[], byte[]> records =
        gate.opens(unread(), nanoClock.getAsLong()) ? open(patience) : outcomesFirst(patience);
    if (begun.size() < outcomes.size()) {
      begin(records);
    }
    gate.read(count(records), nanoClock.getAsLong());
    return records;
  }

  /**
   * Requests are taken only if no outcome has been fetched. The thread does not idle for outcomes
   * that are still to come.
   */
  private ConsumerRecords<byte[], byte[]> outcomesFirst(Duration timeout) {
    isOpen = false;
    super.pause(lanes);
    ConsumerRecords<byte[], byte[]> records = super.poll(Duration.ZERO);
    return records.isEmpty() ? open(timeout) : records;
  }

  private ConsumerRecords<byte[], byte[]> open(Duration timeout) {
    if (!isOpen) {
      noteAssignment();
      isOpen = true;
      super.resume(without(lanes, pausedByStreams));
    }
    return super.poll(timeout);
  }

  /** The assignment changes only within a poll. */
  private void noteAssignment() {
    Set<TopicPartition> now = assignment();
    if (!now.equals(assigned)) {
      assigned = now;
      lanes = those(topic -> topic.startsWith(LANES));
      outcomes = those(Topics.OUTCOMES::equals);
      pausedByStreams.retainAll(now);
      begun.retainAll(now);
      partitions.assigned(this, outcomes.size());
    }
  }

  private Set<TopicPartition> those(Predicate<String> topics) {
    Set<TopicPartition> those = new HashSet<>(assigned);
    those.removeIf(partition -> !topics.test(partition.topic()));
    return those;
  }

  private long unread() {
    return outcomes.stream().mapToLong(partition -> currentLag(partition).orElse(0)).sum();
  }

  private int count(ConsumerRecords<byte[], byte[]> records) {
    return outcomes.stream().mapToInt(partition -> records.records(partition).size()).sum();
  }

  private void begin(ConsumerRecords<byte[], byte[]> records) {
    noteAssignment();
    for (TopicPartition partition : without(outcomes, begun)) {
      var first = records.records(partition);
      if (!first.isEmpty()) {
        begin(partition, first.getFirst().offset());
      } else {
        try {
          begin(partition, position(partition, Duration.ZERO));
        } catch (KafkaException e) {
          // Not known yet; the next poll asks again.
        }
      }
    }
  }

  private void begin(TopicPartition partition, long offset) {
    starts.begins(partition, offset);
    begun.add(partition);
  }

  @Override
  public void pause(Collection<TopicPartition> partitions) {
    pausedByStreams.addAll(partitions);
    super.pause(partitions);
  }

  @Override
  public void resume(Collection<TopicPartition> partitions) {
    pausedByStreams.removeAll(Set.copyOf(partitions));
    super.resume(isOpen ? partitions : without(partitions, lanes));
  }

  @Override
  public void close(CloseOptions options) {
    partitions.closed(this);
    super.close(options);
  }

  private static Set<TopicPartition> without(
      Collection<TopicPartition> partitions, Set<TopicPartition> others) {
    Set<TopicPartition> left = new HashSet<>(partitions);
    left.removeAll(others);
    return left;
  }
}
