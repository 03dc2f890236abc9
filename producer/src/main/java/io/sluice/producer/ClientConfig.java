package io.sluice.producer;

import io.sluice.common.protocol.Lanes;
import java.time.Duration;
import java.util.Map;

/**
 * How a client connects to its pool.
 *
 * @param bootstrapServers Kafka's {@code host:port[,host:port]}
 * @param kafka further Kafka client properties (security, client.id); properties that the client's
 *     guarantees depend on cannot be overridden
 * @param lanes the pool's lanes
 * @param maxInFlight the maximum number of requests in flight
 * @param connectTimeout how long connecting may take
 * @param submitTimeout how long a submit waits while the maximum is in flight
 * @param deadlineGrace how long after a request's deadline, or its cancellation, the client waits
 *     for the pool's answer before it ends the stream itself
 * @param bufferedEvents how many unread events a stream holds before it detaches
 */
public record ClientConfig(
    String bootstrapServers,
    Map<String, String> kafka,
    Lanes lanes,
    int maxInFlight,
    Duration connectTimeout,
    Duration submitTimeout,
    Duration deadlineGrace,
    int bufferedEvents) {

  public ClientConfig {
    kafka = Map.copyOf(kafka);
    if (bootstrapServers.isBlank()) {
      throw new IllegalArgumentException("at least one Kafka broker is required, as host:port");
    }
    if (maxInFlight < 1 || bufferedEvents < 1) {
      throw new IllegalArgumentException("maxInFlight and bufferedEvents must be at least 1");
    }
  }

  /** Returns the default configuration for a pool on these brokers. */
  public static ClientConfig at(String bootstrapServers) {
    return new ClientConfig(
        bootstrapServers,
        Map.of(),
        Lanes.standard(),
        1024,
        Duration.ofSeconds(10),
        Duration.ofSeconds(30),
        Duration.ofSeconds(10),
        256);
  }

  public ClientConfig withKafka(Map<String, String> properties) {
    return new ClientConfig(
        bootstrapServers,
        properties,
        lanes,
        maxInFlight,
        connectTimeout,
        submitTimeout,
        deadlineGrace,
        bufferedEvents);
  }

  public ClientConfig withMaxInFlight(int requests) {
    return new ClientConfig(
        bootstrapServers,
        kafka,
        lanes,
        requests,
        connectTimeout,
        submitTimeout,
        deadlineGrace,
        bufferedEvents);
  }

  /**
   * Returns this configuration with other limits for connecting, submitting, and waiting after a
   * deadline.
   */
  public ClientConfig withTimeouts(Duration connect, Duration submit, Duration grace) {
    return new ClientConfig(
        bootstrapServers, kafka, lanes, maxInFlight, connect, submit, grace, bufferedEvents);
  }

  public ClientConfig withBufferedEvents(int events) {
    return new ClientConfig(
        bootstrapServers,
        kafka,
        lanes,
        maxInFlight,
        connectTimeout,
        submitTimeout,
        deadlineGrace,
        events);
  }
}
