package io.sluice.producer.deadletter;

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
import org.apache.kafka.common.errors.TimeoutException;

/**
 * The dead letters of a pool, as they are when they are read. A letter stands on the partition of
 * its id; a mark behind it, a record of the same id without a body and with the header {@code
 * redriven-as}, says that it was sent again. Every reading takes whole records from Kafka, bodies
 * too; they are dropped at once unless they are asked for. Not thread-safe.
 */
public final class DeadLetterLog implements AutoCloseable {
  private static final Duration LIMIT = Duration.ofMinutes(2);

  /** What is done with the records takes its time; a broker that falls silent is noticed sooner. */
  private static final Duration VISIT_LIMIT = Duration.ofHours(1);

  /** A dead letter and where it stands. */
  record Standing(DeadLetter letter, TopicPartition partition, long offset) {
    Standing redrivenAs(String id) {
      return new Standing(letter.redrivenAs(id), partition, offset);
    }
  }

  private record Key(boolean isLetter, String id) {}

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
   * @throws ClientException if the configuration is no good
   */
  public static DeadLetterLog open(ClientConfig config) {
    try {
      return new DeadLetterLog(config, KafkaSettings.consumer(config), System::nanoTime);
    } catch (KafkaException e) {
      throw KafkaErrors.connecting(e, config.bootstrapServers());
    }
  }

  /**
   * The letters that are meant, the oldest first.
   *
   * @throws ClientException if the pool cannot be read, or not within two minutes
   */
  public List<DeadLetter> list(LetterFilter filter) {
    return standing(filter).stream().map(Standing::letter).toList();
  }

  /**
   * The body of the letter of one request; empty if there is none.
   *
   * @throws ClientException if the pool cannot be read
   */
  public Optional<byte[]> body(String requestId) {
    Map<String, byte[]> bodies = new HashMap<>();
    visit(
        standing(LetterFilter.of(requestId)),
        (standing, record) -> bodies.put(requestId, valueOf(record)));
    return Optional.ofNullable(bodies.get(requestId));
  }

  List<Standing> standing(LetterFilter filter) {
    Map<Key, Standing> latest = new HashMap<>();
    try {
      Collection<TopicPartition> partitions = partitions(filter.requestId());
      reading.read(
          reading.ranges(partitions, filter.since()), LIMIT, record -> fold(latest, record));
    } catch (KafkaException e) {
      throw failed(e);
    }
    return latest.values().stream()
        .filter(standing -> filter.includes(standing.letter()))
        .sorted(
            Comparator.<Standing>comparingLong(standing -> standing.letter().epochMillis())
                .thenComparing(standing -> standing.letter().requestId()))
        .toList();
  }

  /** Somebody who is shown letters with their records. */
  interface Visitor {
    void visit(Standing standing, ConsumerRecord<String, byte[]> record);
  }

  /** Reads the records of letters once more. */
  void visit(Collection<Standing> letters, Visitor visitor) {
    Map<TopicPartition, Map<Long, Standing>> wanted = new HashMap<>();
    for (Standing letter : letters) {
      wanted
          .computeIfAbsent(letter.partition(), partition -> new HashMap<>())
          .put(letter.offset(), letter);
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
            Standing letter = wanted.getOrDefault(partition, Map.of()).get(record.offset());
            if (letter != null) {
              visitor.visit(letter, record);
            }
          });
    } catch (KafkaException e) {
      throw failed(e);
    }
  }

  /**
   * A letter that comes twice, as it may after a router's crash, is one; a mark belongs to the
   * letter before it. An id that was used anew has a new letter. Only what a router wrote has an
   * error's code; other records stand for themselves, whatever request they are about.
   */
  private static void fold(Map<Key, Standing> latest, ConsumerRecord<String, byte[]> record) {
    boolean isLetter = HeaderText.get(record.headers(), HeaderNames.ERROR_CODE).isPresent();
    Optional<String> redrivenAs = HeaderText.get(record.headers(), HeaderNames.REDRIVEN_AS);
    if (!isLetter && redrivenAs.isPresent() && valueOf(record).length == 0) {
      latest.computeIfPresent(
          new Key(true, DeadLetter.idOf(record)),
          (same, known) -> known.redrivenAs(redrivenAs.get()));
      return;
    }
    DeadLetter letter = isLetter ? DeadLetter.of(record) : DeadLetter.unprocessed(record);
    Key key = new Key(isLetter, letter.requestId());
    Standing known = latest.get(key);
    if (known == null || !known.letter().source().equals(letter.source())) {
      var partition = new TopicPartition(record.topic(), record.partition());
      latest.put(key, new Standing(letter, partition, record.offset()));
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

  /** How many partitions the pool's topics have, once something was read. */
  int partitionCount() {
    return partitionCount;
  }

  private ClientException failed(KafkaException error) {
    String message = String.valueOf(error.getMessage());
    return error instanceof TimeoutException && message.startsWith(BoundedRead.TOO_LONG)
        ? new ClientException(
            ClientException.Kind.BUSY,
            Topics.DEAD_LETTERS + " was " + message + ": name a later time, or a single id",
            error)
        : KafkaErrors.connecting(error, config.bootstrapServers());
  }

  static byte[] valueOf(ConsumerRecord<String, byte[]> record) {
    return record.value() == null ? new byte[0] : record.value();
  }

  @Override
  public void close() {
    consumer.close();
  }
}
