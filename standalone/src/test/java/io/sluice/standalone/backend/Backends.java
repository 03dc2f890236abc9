package io.sluice.standalone.backend;

/**
 * A real Kafka and a real Redis for integration tests, both configured like the product's embedded
 * ones. The addresses stay the same for the life of the instance, also after an outage.
 */
public interface Backends extends AutoCloseable {

  String kafkaBootstrapServers();

  /** Returns the address as {@code redis://host:port}. */
  String redisUri();

  /** Starts an outage of Kafka; returns when Kafka no longer responds. Its records are kept. */
  void stopKafka();

  /** Ends an outage of Kafka; returns when it accepts connections again. */
  void startKafka();

  /** Starts an outage of Redis; returns when Redis no longer responds. Its content may be lost. */
  void stopRedis();

  /** Ends an outage of Redis; returns when it accepts connections again. */
  void startRedis();

  @Override
  void close();
}
