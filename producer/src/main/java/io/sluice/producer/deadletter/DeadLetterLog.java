package io.sluice.producer.deadletter;

import io.sluice.common.kafka.GrouplessConsumers;
import io.sluice.common.protocol.HeaderNames;
import io.sluice.common.protocol.HeaderText;
import io.sluice.common.protocol.Partitions;
import io.sluice.common.protocol.Topics;
import io.sluice.producer.ClientConfig;
import io.sluice.producer.ClientException;
import io.sluice.producer.kafka.BoundedRead;
import io.sluice.producer.kafka.KafkaErrors;
import io.sluice.producer.kafka.KafkaSettings;
import java.time.Duration;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.LongSupplier;
import java.util.stream.IntStream;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.PartitionInfo;
import org.apache.kafka.common.TopicPartition;

/**
 * The dead letters of a pool at the time they are read. A dead letter is on the partition of its
 * id. A mark after it, a record of the same id without a body and with the header {@code
 * redriven-as}, says that it was sent again. Kafka delivers whole records, including bodies; bodies
 * are dropped at once unless they are requested. Not thread-safe.
 */
public final class DeadLetterLog implements AutoCloseable {
  private static final Duration LIMIT = Duration.ofMinutes(2);

  /** Long because the visitor needs time too. A broker that stops responding is noticed sooner. */
  private static final Duration VISIT_LIMIT = Duration.ofHours(1);

  /** A dead letter and its position in the log. */
  record Located(DeadLetter deadLetter, TopicPartition partition, long offset) {
    Located redrivenAs(String id) {
      return new Located(deadLetter.redrivenAs(id), partition, offset);
    }
  }

  private record Key(boolean isDeadLetter, String id) {}

  private final ClientConfig config;
  private final Consumer<String, byte[]> consumer;
  private final BoundedRead reading;
  private int partitionCount;

  DeadLetterLog(ClientConfig config, Consumer<String, byte[]> consumer, LongSupplier nanoTime) {
    this.config = config;
    this.consumer = consumer;
    this.reading = new BoundedRead(consumer, config.connectTimeout(), nanoTime);
  }

  /**
   * Opens the log of a pool; nothing is read yet.
   *
   * @throws ClientException if the configuration is invalid
   */
  public static DeadLetterLog open(ClientConfig config) {
    try {
      return new DeadLetterLog(config, KafkaSettings.consumer(config), System::nanoTime);
    } catch (KafkaException e) {
      throw KafkaErrors.connecting(e, config.bootstrapServers());
    }
  }

  /**
   * Returns the selected dead letters, oldest first.
   *
   * @throws ClientException if the pool cannot be read, or not within two minutes
   */
  public List<DeadLetter> list(DeadLetterFilter filter) {
    return located(filter).stream().map(Located::deadLetter).toList();
  }

  /**
   * Returns the body of the dead letter of one request; empty if there is none.
   *
   * @throws ClientException if the pool cannot be read
   */
  public Optional<byte[]> body(String requestId) {
    Map<String, byte[]> bodies = new HashMap<>();
    visit(
        located(DeadLetterFilter.of(requestId)),
        (located, record) -> bodies.put(requestId, valueOf(record)));
    return Optional.ofNullable(bodies.get(requestId));
  }

  List<Located> located(DeadLetterFilter filter) {
    Map<Key, Located> latest = new HashMap<>();
    try {
      Collection<TopicPartition> partitions = partitions(filter.requestId());
      reading.read(
          reading.ranges(partitions, filter.since()), LIMIT, record -> fold(latest, record));
    } catch (KafkaException e) {
      throw failed(e);
    }
    return latest.values().stream()
        .filter(located -> filter.includes(located.deadLetter()))
        .sorted(
            Comparator.<Located>comparingLong(located -> located.deadLetter().epochMillis())
                .thenComparing(located -> located.deadLetter().requestId()))
        .toList();
  }

  /** Receives dead letters with their records. */
  interface Visitor {
    void visit(Located located, ConsumerRecord<String, byte[]> record);
  }

  /** Reads the records of dead letters again, with their bodies. */
  void visit(Collection<Located> deadLetters, Visitor visitor) {
    Map<TopicPartition, Map<Long, Located>> wanted = new HashMap<>();
    for (Located deadLetter : deadLetters) {
      wanted
          .computeIfAbsent(deadLetter.partition(), partition -> new HashMap<>())
          .put(deadLetter.offset(), deadLetter);
    }
    Map<TopicPartition, BoundedRead.Range> ranges = new HashMap<>();
    wanted.forEach(
        (partition, byOffset) -> {
          var offsets = byOffset.keySet().stream().mapToLong(Long::longValue).summaryStatistics();
          ranges.put(partition, new BoundedRead.Range(offsets.getMin(), offsets.getMax() + 1));
        });
    try {
      reading.read(
          ranges,
          VISIT_LIMIT,
          record -> {
            var partition = new TopicPartition(record.topic(), record.partition());
            Located deadLetter = wanted.getOrDefault(partition, Map.of()).get(record.offset());
            if (deadLetter != null) {
              visitor.visit(deadLetter, record);
            }
          });
    } catch (KafkaException e) {
      throw failed(e);
    }
  }

  /**
   * A dead letter that occurs twice, as it may after a router's crash, counts once. A mark belongs
   * to the dead letter before it. If an id was used again, it has a new dead letter. Only records
   * that a router wrote have an error code; any other record is an entry of its own, whatever
   * request it is about.
   */
  private static void fold(Map<Key, Located> latest, ConsumerRecord<String, byte[]> record) {
    boolean isDeadLetter = HeaderText.get(record.headers(), HeaderNames.ERROR_CODE).isPresent();
    Optional<String> redrivenAs = HeaderText.get(record.headers(), HeaderNames.REDRIVEN_AS);
    if (!isDeadLetter && redrivenAs.isPresent() && valueOf(record).length == 0) {
      latest.computeIfPresent(
          new Key(true, DeadLetter.idOf(record)),
          (same, known) -> known.redrivenAs(redrivenAs.get()));
      return;
    }
    DeadLetter deadLetter = isDeadLetter ? DeadLetter.of(record) : DeadLetter.unprocessed(record);
    Key key = new Key(isDeadLetter, deadLetter.requestId());
    Located known = latest.get(key);
    if (known == null || !known.deadLetter().source().equals(deadLetter.source())) {
      var partition = new TopicPartition(record.topic(), record.partition());
      latest.put(key, new Located(deadLetter, partition, record.offset()));
    }
  }

  private Collection<TopicPartition> partitions(Optional<String> requestId) {
    List<PartitionInfo> known =
        consumer.partitionsFor(Topics.DEAD_LETTERS, config.connectTimeout());
    if (known == null || known.isEmpty()) {
      throw KafkaErrors.noTopic(config.bootstrapServers(), Topics.DEAD_LETTERS);
    }
    partitionCount = known.size();
    return requestId
        .filter(id -> !DeadLetter.isPlace(id))
        .map(id -> IntStream.of(Partitions.of(id, partitionCount)))
        .orElseGet(() -> IntStream.range(0, partitionCount))
        .mapToObj(partition -> new TopicPartition(Topics.DEAD_LETTERS, partition))
        .toList();
  }

  /** Returns the number of partitions of the pool's topics; known after the first reading. */
  int partitionCount() {
    return partitionCount;
  }

  private ClientException failed(KafkaException error) {
    return KafkaErrors.reading(
        error,
        config.bootstrapServers(),
        Topics.DEAD_LETTERS,
        "use --since with a shorter time, or a single id");
  }

  static byte[] valueOf(ConsumerRecord<String, byte[]> record) {
    return record.value() == null ? new byte[0] : record.value();
  }

  @Override
  public void close() {
    GrouplessConsumers.close(consumer);
  }
}
