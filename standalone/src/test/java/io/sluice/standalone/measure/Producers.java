package io.sluice.standalone.measure;

import java.util.Map;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.apache.kafka.common.serialization.StringSerializer;

/**
 * Kafka producers of what measurements send, as services that ask for nothing special have them.
 */
final class Producers {
  private Producers() {}

  /** One that waits so long for records to go together. */
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
