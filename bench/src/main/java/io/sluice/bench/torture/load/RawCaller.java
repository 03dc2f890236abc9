package io.sluice.bench.torture.load;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.apache.kafka.common.serialization.StringSerializer;

/** Sends requests with a plain Kafka producer, according to docs/protocol.md. Thread-safe. */
public final class RawCaller implements AutoCloseable {
  private final KafkaProducer<String, byte[]> producer;
  private final Map<String, String> unsent = new ConcurrentHashMap<>();

  public RawCaller(String kafka) {
    producer =
        new KafkaProducer<>(
            Map.of(
                ProducerConfig.BOOTSTRAP_SERVERS_CONFIG,
                kafka,
                ProducerConfig.MAX_REQUEST_SIZE_CONFIG,
                8 * 1024 * 1024),
            new StringSerializer(),
            new ByteArraySerializer());
  }

  /** Sends a request; returns when the brokers have it. */
  public void send(PlannedRequest request) throws InterruptedException {
    var record = new ProducerRecord<>(request.topic(), request.id(), request.bytes());
    describe(record, request, request.tenant(), request.replyTo());
    send(request.id(), record);
  }

  /** Sends a request again as a repeat; returns its position if the brokers accepted it. */
  Optional<RecordPosition> repeat(PlannedRequest request, Repeat repeat)
      throws InterruptedException {
    var record = new ProducerRecord<>(repeat.topic(), request.id(), request.bytes());
    describe(record, request, repeat.tenant(), repeat.replyTo());
    return send(request.id() + ", again", record);
  }

  private static void describe(
      ProducerRecord<String, byte[]> record,
      PlannedRequest request,
      String tenant,
      Optional<String> replyTo) {
    put(record, "request-id", request.id());
    put(record, "endpoint", request.endpoint());
    put(record, "tenant", tenant);
    put(record, "timeout-ms", Long.toString(request.timeout().toMillis()));
    replyTo.ifPresent(topic -> put(record, "reply-to", topic));
  }

  void cancel(PlannedRequest request) throws InterruptedException {
    String value = "{\"type\":\"cancel\",\"request_id\":\"" + request.id() + "\"}";
    send(
        request.id(),
        new ProducerRecord<>(
            "sluice.control", request.id(), value.getBytes(StandardCharsets.UTF_8)));
  }

  private Optional<RecordPosition> send(String id, ProducerRecord<String, byte[]> record)
      throws InterruptedException {
    try {
      RecordMetadata at = producer.send(record).get();
      return Optional.of(new RecordPosition(at.topic(), at.partition(), at.offset()));
    } catch (ExecutionException e) {
      unsent.put(id, "to %s: %s".formatted(record.topic(), e.getCause()));
      return Optional.empty();
    }
  }

  private static void put(ProducerRecord<String, byte[]> record, String name, String value) {
    record.headers().add(name, value.getBytes(StandardCharsets.UTF_8));
  }

  /** Returns what Kafka refused, and why. */
  public Map<String, String> unsent() {
    return Map.copyOf(unsent);
  }

  @Override
  public void close() {
    producer.close(Duration.ofSeconds(2));
  }
}
