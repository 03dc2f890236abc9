package io.sluice.producer;

import io.sluice.common.protocol.Lanes;
import io.sluice.common.protocol.Topics;
import io.soabase.recordbuilder.core.RecordBuilder;
import java.time.Duration;
import java.util.Map;

/**
 * How a client connects to its pool.
 *
 * @param bootstrapServers Kafka's {@code host:port[,host:port]}
 * @param kafka further Kafka client properties (security, client.id); properties that the client's
 *     guarantees depend on cannot be overridden
 * @param replyTopic where answers go: {@code sluice.replies}, or the topic of a service, with the
 *     partitions of the pool
 * @param lanes the pool's lanes
 * @param maxInFlight the maximum number of requests in flight
 * @param connectTimeout how long connecting may take
 * @param submitTimeout how long a submit waits while the maximum is in flight
 * @param deadlineGrace how long after a request's deadline, or its cancellation, the client waits
 *     for the pool's answer before it ends the stream itself
 * @param bufferedEvents how many unread events a stream holds before it detaches
 * @param maxUnreadBytes how many bytes of unread events all streams hold together, half of them for
 *     each tenant; beyond, each holds 16 KiB or one event, and reads the others from Kafka again.
 *     No limit by default
 */
@RecordBuilder
@RecordBuilder.Options(enableWither = false)
public record ClientConfig(
    String bootstrapServers,
    Map<String, String> kafka,
    String replyTopic,
    Lanes lanes,
    int maxInFlight,
    Duration connectTimeout,
    Duration submitTimeout,
    Duration deadlineGrace,
    int bufferedEvents,
    long maxUnreadBytes) {

  public ClientConfig {
    kafka = Map.copyOf(kafka);
    if (bootstrapServers.isBlank()) {
      throw new IllegalArgumentException("at least one Kafka broker is required, as host:port");
    }
    if (!Topics.isReplyTopic(replyTopic)) {
      throw new IllegalArgumentException(
          "'" + replyTopic + "' is not a reply topic, such as sluice.replies.orders");
    }
    if (maxInFlight < 1 || bufferedEvents < 1 || maxUnreadBytes < 1) {
      throw new IllegalArgumentException(
          "maxInFlight, bufferedEvents and maxUnreadBytes must be at least 1");
    }
  }

  /** Returns the default configuration for a pool on these brokers. */
  public static ClientConfig at(String bootstrapServers) {
    return new ClientConfig(
        bootstrapServers,
        Map.of(),
        Topics.REPLIES,
        Lanes.standard(),
        1024,
        Duration.ofSeconds(10),
        Duration.ofSeconds(30),
        Duration.ofSeconds(10),
        256,
        Long.MAX_VALUE);
  }

  public ClientConfig withKafka(Map<String, String> properties) {
    return changed().kafka(properties).build();
  }

  /**
   * Returns this configuration with answers on a topic of one service, {@code
   * sluice.replies.SERVICE}, which only that service needs to be able to read. The topic must exist
   * and have as many partitions as the pool's topics.
   *
   * @throws IllegalArgumentException if the name cannot be part of a topic name
   */
  public ClientConfig withReplyService(String service) {
    return changed().replyTopic(Topics.replies(service)).build();
  }

  public ClientConfig withMaxInFlight(int requests) {
    return changed().maxInFlight(requests).build();
  }

  /**
   * Returns this configuration with other limits for connecting, submitting, and waiting after a
   * deadline.
   */
  public ClientConfig withTimeouts(Duration connect, Duration submit, Duration grace) {
    return changed().connectTimeout(connect).submitTimeout(submit).deadlineGrace(grace).build();
  }

  public ClientConfig withBufferedEvents(int events) {
    return changed().bufferedEvents(events).build();
  }

  public ClientConfig withMaxUnreadBytes(long bytes) {
    return changed().maxUnreadBytes(bytes).build();
  }

  private ClientConfigBuilder changed() {
    return ClientConfigBuilder.builder(this);
  }
}
