package io.sluice.fleet;

import io.sluice.config.Setting;
import io.sluice.fleet.redis.RedisSettings;
import java.util.Optional;

/**
 * The settings on which all services of a pool must agree.
 *
 * @param givenKafka bootstrap servers, {@code host:port,...}; empty for those of the properties
 * @param kafkaProperties for every Kafka client, such as those for security
 * @param redis where the state of the fleet is
 * @param name of the pool, under which its keys stand in Redis
 * @param partitions of the pool's common topics; fixed for its life
 * @param replication of topics that the service creates; empty for what the cluster has, at most 3
 */
public record PoolSettings(
    @Setting(
            key = "kafka",
            environment = "SLUICE_KAFKA",
            otherwise = "`bootstrap.servers` of `--kafka-config`, or else `127.0.0.1:19092`",
            unit = "host:port,...",
            meaning = "Kafka's bootstrap servers.")
        Optional<String> givenKafka,
    @Setting(
            key = "kafka-config",
            environment = "SLUICE_KAFKA_CONFIG",
            otherwise = "none",
            unit = "file",
            meaning =
                "A properties file for every Kafka client, such as security settings, with Kafka's own"
                    + " keys. The same file serves all services and commands.")
        KafkaProperties kafkaProperties,
    RedisSettings redis,
    @Setting(
            key = "pool",
            environment = "SLUICE_POOL",
            defaultValue = "default",
            meaning = "The pool's name in Redis.")
        String name,
    @Setting(
            environment = "SLUICE_PARTITIONS",
            defaultValue = "48",
            min = 1,
            max = 10_000,
            unit = "partitions",
            meaning =
                "Partitions of the pool's topics; fixed for its life. A service refuses topics that"
                    + " have another number.")
        int partitions,
    @Setting(
            environment = "SLUICE_REPLICATION",
            otherwise = "the number of brokers, at most 3",
            min = 1,
            max = 32,
            unit = "replicas",
            meaning =
                "Replicas of the topics that the service creates. With 3 or more, two must be in"
                    + " sync. With fewer brokers than this number the service does not start.")
        Optional<Short> replication) {

  private static final String LOCAL_KAFKA = "127.0.0.1:19092";

  /** Kafka's bootstrap servers, {@code host:port,...}. */
  public String kafka() {
    return givenKafka.orElseGet(
        () -> kafkaProperties.entries().getOrDefault("bootstrap.servers", LOCAL_KAFKA));
  }
}
