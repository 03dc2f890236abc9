package io.sluice.gateway.batch.record;

import io.sluice.common.dependency.Reasons;
import io.sluice.common.kafka.GrouplessConsumers;
import io.sluice.common.kafka.RecordSend;
import io.sluice.common.protocol.Partitions;
import io.sluice.common.protocol.Topics;
import io.sluice.producer.ClientConfig;
import io.sluice.producer.kafka.KafkaSettings;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.KafkaException;

/** The log in {@code sluice.batches}. Its partitions are read all the time. Thread-safe. */
public final class KafkaBatchLog implements BatchLog, AutoCloseable {
  private static final Duration WRITE_LIMIT = Duration.ofSeconds(35);
  private static final Duration READ_LIMIT = Duration.ofSeconds(5);
  private static final Duration CLOSE_LIMIT = Duration.ofSeconds(5);

  private final Producer<String, byte[]> producer;
  private final BatchTable table;
  private final BatchReader reader;

  private KafkaBatchLog(Producer<String, byte[]> producer, BatchTable table, BatchReader reader) {
    this.producer = producer;
    this.table = table;
    this.reader = reader;
  }

  /**
   * Opens the log, and starts to read it.
   *
   * @throws KafkaException if Kafka cannot be reached, or has no pool
   */
  public static KafkaBatchLog open(ClientConfig config, Clock clock) {
    BatchTable table = new BatchTable();
    Admin admin = KafkaSettings.admin(config);
    Consumer<String, byte[]> consumer = KafkaSettings.consumer(config);
    try {
      BatchReader reader =
          BatchReader.start(consumer, admin, config.connectTimeout(), table, clock);
      return new KafkaBatchLog(KafkaSettings.producer(config), table, reader);
    } catch (KafkaException e) {
      GrouplessConsumers.close(consumer);
      admin.close(Duration.ZERO);
      throw e;
    }
  }

  @Override
  public void append(BatchRecord record) {
    int partition = Partitions.of(record.id(), reader.partitionCount());
    ProducerRecord<String, byte[]> sent =
        new ProducerRecord<>(
            Topics.BATCHES, partition, BatchFormat.key(record), BatchFormat.toJson(record));
    try {
      var _ = RecordSend.send(producer, sent).get(WRITE_LIMIT.toMillis(), TimeUnit.MILLISECONDS);
    } catch (ExecutionException e) {
      throw new BatchLogException("the batch could not be stored: " + Reasons.of(e), e);
    } catch (TimeoutException e) {
      throw new BatchLogException("the batch could not be stored in time", e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new BatchLogException("interrupted", e);
    }
  }

  @Override
  public void awaitCurrent() {
    reader.awaitCurrent(READ_LIMIT);
  }

  @Override
  public Optional<Batch> find(String id) {
    return table.find(id);
  }

  @Override
  public List<Batch> ofTenant(String tenant) {
    return table.ofTenant(tenant);
  }

  @Override
  public List<Batch> unfinished(Set<Integer> partitions) {
    return table.unfinished(partitions::contains);
  }

  @Override
  public void onChange(Runnable task) {
    reader.onChange(task);
  }

  @Override
  public void close() {
    producer.close(CLOSE_LIMIT);
    reader.close();
  }
}
