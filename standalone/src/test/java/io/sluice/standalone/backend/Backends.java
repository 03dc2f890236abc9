package io.sluice.standalone.backend;

/**
 * A real Kafka and a real Redis for integration tests, both configured as the product's embedded
 * ones are. Addresses stay the same for the life of the instance, also over an outage.
 */
public interface Backends extends AutoCloseable {

  String kafkaBootstrapServers();

  /** As {@code redis://host:port}. */
  String redisUri();

  /** Takes Kafka away; returns when it no longer answers. Its records are kept. */
  void stopKafka();

  /** Ends an outage of Kafka; returns when it accepts connections again. */
  void startKafka();

  /** Takes Redis away; returns when it no longer answers. What it held may be lost. */
  void stopRedis();

  /** Ends an outage of Redis; returns when it accepts connections again. */
  void startRedis();

  @Override
  void close();
}
