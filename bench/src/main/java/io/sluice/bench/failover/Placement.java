package io.sluice.bench.failover;

import io.sluice.common.kafka.GrouplessConsumers;
import io.sluice.common.protocol.HeaderNames;
import io.sluice.common.protocol.Topics;
import io.sluice.producer.ClientConfig;
import io.sluice.producer.kafka.KafkaSettings;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.TopicPartition;

/** Tells from the log which worker answers a request. Not thread-safe. */
final class Placement implements AutoCloseable {
  private static final Duration POLL = Duration.ofMillis(50);
  private static final Duration WITHIN = Duration.ofSeconds(30);

  private final Consumer<String, byte[]> consumer;
  private final List<TopicPartition> partitions;

  Placement(String kafka) {
    consumer = KafkaSettings.consumer(ClientConfig.at(kafka));
    partitions =
        consumer.partitionsFor(Topics.REPLIES).stream()
            .map(info -> new TopicPartition(info.topic(), info.partition()))
            .toList();
    consumer.assign(partitions);
  }

  /** Reads only what is written from now on. */
  void begin() {
    consumer.seekToEnd(partitions);
    partitions.forEach(consumer::position);
  }

  /**
   * Returns the ids of the workers that write the answers now, by the ids of the requests.
   *
   * @throws IOException if the log does not tell it for all requests
   */
  Map<String, String> of(Set<String> requestIds) throws IOException {
    Map<String, String> workers = new HashMap<>();
    long end = System.nanoTime() + WITHIN.toNanos();
    boolean isRead = false;
    while (!isRead || !workers.keySet().containsAll(requestIds)) {
      if (System.nanoTime() - end > 0) {
        throw new IOException(
            "the log tells the workers of %d of %d requests"
                .formatted(workers.size(), requestIds.size()));
      }
      var records = consumer.poll(POLL);
      for (ConsumerRecord<String, byte[]> record : records) {
        Optional<String> id = header(record, HeaderNames.REQUEST_ID).filter(requestIds::contains);
        Optional<String> worker = header(record, HeaderNames.WORKER);
        if (id.isPresent() && worker.isPresent()) {
          workers.put(id.get(), worker.get());
        }
      }
      isRead = records.count() < requestIds.size();
    }
    return workers;
  }

  private static Optional<String> header(ConsumerRecord<?, ?> record, String name) {
    return Optional.ofNullable(record.headers().lastHeader(name))
        .map(header -> new String(header.value(), StandardCharsets.UTF_8));
  }

  @Override
  public void close() {
    GrouplessConsumers.close(consumer);
  }
}
