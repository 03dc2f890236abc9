import static java.nio.charset.StandardCharsets.UTF_8;

import java.util.Map;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.ByteArraySerializer;

/**
 * Appends a record to a topic's partition. Arguments: BROKER TOPIC PARTITION KEY VALUE. For any JDK
 * that may be on the PATH.
 */
class PutRecord {
  public static void main(String[] arguments) throws Exception {
    var serializer = new ByteArraySerializer();
    Map<String, Object> settings = Map.of("bootstrap.servers", arguments[0]);
    var record =
        new ProducerRecord<>(
            arguments[1],
            Integer.valueOf(arguments[2]),
            arguments[3].getBytes(UTF_8),
            arguments[4].getBytes(UTF_8));
    try (var producer = new KafkaProducer<>(settings, serializer, serializer)) {
      producer.send(record).get();
    }
  }
}
