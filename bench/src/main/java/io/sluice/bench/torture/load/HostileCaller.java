package io.sluice.bench.torture.load;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.apache.kafka.common.serialization.StringSerializer;

/** Sends hostile records, and remembers which of them Kafka accepted. Thread-safe. */
public final class HostileCaller implements AutoCloseable {
  private static final int MOST_BYTES = 128 * 1024 * 1024;

  /** A record that the brokers have. */
  public record Accepted(HostileRecord record, RecordPosition place) {}

  private final KafkaProducer<String, byte[]> plain;
  private final KafkaProducer<String, byte[]> packing;
  private final List<Accepted> accepted = new ArrayList<>();
  private int refused;

  public HostileCaller(String kafka) {
    plain = producer(kafka, "none");
    packing = producer(kafka, "gzip");
  }

  private static KafkaProducer<String, byte[]> producer(String kafka, String compression) {
    return new KafkaProducer<>(
        Map.of(
            ProducerConfig.BOOTSTRAP_SERVERS_CONFIG,
            kafka,
            ProducerConfig.MAX_REQUEST_SIZE_CONFIG,
            MOST_BYTES,
            ProducerConfig.BUFFER_MEMORY_CONFIG,
            (long) MOST_BYTES,
            ProducerConfig.COMPRESSION_TYPE_CONFIG,
            compression),
        new StringSerializer(),
        new ByteArraySerializer());
  }

  /** Sends a record; returns when the brokers have accepted or refused it. */
  public void send(HostileRecord record) throws InterruptedException {
    try {
      RecordMetadata at =
          (record.shape().isPacked() ? packing : plain).send(record.toKafka()).get();
      synchronized (this) {
        accepted.add(
            new Accepted(record, new RecordPosition(at.topic(), at.partition(), at.offset())));
      }
    } catch (ExecutionException e) {
      synchronized (this) {
        refused++;
      }
    }
  }

  public synchronized List<Accepted> accepted() {
    return List.copyOf(accepted);
  }

  /** Returns how many records the brokers refused. */
  public synchronized int refused() {
    return refused;
  }

  @Override
  public void close() {
    plain.close(Duration.ofSeconds(2));
    packing.close(Duration.ofSeconds(2));
  }
}
