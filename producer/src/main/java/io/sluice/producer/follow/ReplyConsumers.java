package io.sluice.producer.follow;

import io.sluice.producer.ClientConfig;
import io.sluice.producer.kafka.KafkaSettings;
import java.util.function.Supplier;
import org.apache.kafka.clients.consumer.Consumer;

/**
 * Opens the consumers that read replies a second time.
 *
 * @param rereading look up where replies begin, and read them up to the end
 * @param following wait at the ends of partitions
 * @param placing read answers at known places
 */
public record ReplyConsumers(
    Supplier<Consumer<String, byte[]>> rereading,
    Supplier<Consumer<String, byte[]>> following,
    Supplier<Consumer<String, byte[]>> placing) {

  public static ReplyConsumers of(ClientConfig config) {
    return new ReplyConsumers(
        () -> KafkaSettings.lookupConsumer(config),
        () -> KafkaSettings.followingConsumer(config),
        () -> KafkaSettings.placingConsumer(config));
  }
}
