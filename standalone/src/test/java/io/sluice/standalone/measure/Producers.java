package io.sluice.standalone.measure;

import java.util.Map;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.apache.kafka.common.serialization.StringSerializer;

/** The Kafka producers of the measurements, with default settings like those of services. */
final class Producers {
  private Producers() {}

  /** Opens a producer with this linger time. */
  static KafkaProducer<String, byte[]> open(String kafka, int lingerMillis) {
    return new KafkaProducer<>(
        Map.of(
            ProducerConfig.BOOTSTRAP_SERVERS_CONFIG,
            kafka,
            ProducerConfig.LINGER_MS_CONFIG,
            lingerMillis),
        new StringSerializer(),
        new ByteArraySerializer());
  }
}
