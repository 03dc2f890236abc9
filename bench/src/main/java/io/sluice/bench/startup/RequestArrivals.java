package io.sluice.bench.startup;

import io.sluice.common.kafka.GrouplessConsumers;
import io.sluice.common.protocol.Topics;
import io.sluice.producer.ClientConfig;
import io.sluice.producer.kafka.KafkaSettings;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.TopicPartition;

/** Tells when requests came into the topics of a pool. Not thread-safe. */
final class RequestArrivals implements AutoCloseable {
  private static final Duration WITHIN = Duration.ofSeconds(10);

  private final Consumer<String, byte[]> consumer;

  /** Watches from now on. */
  RequestArrivals(String kafka) {
    consumer = KafkaSettings.consumer(ClientConfig.at(kafka));
    List<TopicPartition> partitions =
        consumer.listTopics().entrySet().stream()
            .filter(topic -> topic.getKey().startsWith(Topics.REQUESTS_PREFIX))
            .flatMap(topic -> topic.getValue().stream())
            .map(info -> new TopicPartition(info.topic(), info.partition()))
            .toList();
    consumer.assign(partitions);
    consumer.seekToEnd(partitions);
    partitions.forEach(consumer::position);
  }

  /**
   * Returns when the next request came, epoch milliseconds by the broker's clock.
   *
   * @throws IOException if none comes
   */
  long next() throws IOException {
    long end = System.nanoTime() + WITHIN.toNanos();
    while (System.nanoTime() - end < 0) {
      for (ConsumerRecord<String, byte[]> request : consumer.poll(Duration.ofMillis(100))) {
        return request.timestamp();
      }
    }
    throw new IOException("no request came into Kafka");
  }

  @Override
  public void close() {
    GrouplessConsumers.close(consumer);
  }
}
