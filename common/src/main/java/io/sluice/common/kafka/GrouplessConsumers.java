package io.sluice.common.kafka;

import java.time.Duration;
import org.apache.kafka.clients.consumer.CloseOptions;
import org.apache.kafka.clients.consumer.Consumer;

/** Consumers without a group, which have nothing to commit or to leave. */
public final class GrouplessConsumers {
  private GrouplessConsumers() {}

  /**
   * Closes a consumer at once. By default, Kafka waits for the fetch in progress, half a second,
   * only to end a fetch session that the broker also forgets by itself.
   */
  public static void close(Consumer<?, ?> consumer) {
    consumer.close(CloseOptions.timeout(Duration.ZERO));
  }
}
