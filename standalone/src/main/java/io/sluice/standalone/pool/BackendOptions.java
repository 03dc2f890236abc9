package io.sluice.standalone.pool;

import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import picocli.CommandLine.Option;

/** The options of {@code up} for a Kafka and a Redis that exist already. */
final class BackendOptions {
  @Option(
      names = "--kafka",
      paramLabel = "HOST:PORT",
      description = "Use this Kafka instead of an embedded one.")
  private Optional<String> kafka = Optional.empty();

  @Option(
      names = "--kafka-config",
      paramLabel = "FILE",
      defaultValue = "${env:SLUICE_KAFKA_CONFIG}",
      description =
          "With --kafka: a properties file for the Kafka clients, such as security settings"
              + " ($SLUICE_KAFKA_CONFIG).")
  private Optional<Path> kafkaConfig = Optional.empty();

  @Option(
      names = "--redis",
      paramLabel = "URL",
      description = "Use this Redis instead of an embedded one.")
  private Optional<String> redis = Optional.empty();

  @Option(
      names = "--redis-password-file",
      paramLabel = "FILE",
      defaultValue = "${env:SLUICE_REDIS_PASSWORD_FILE}",
      description = "With --redis: a file that holds its password ($SLUICE_REDIS_PASSWORD_FILE).")
  private Optional<Path> redisPasswordFile = Optional.empty();

  @Option(
      names = "--redis-ca",
      paramLabel = "FILE",
      defaultValue = "${env:SLUICE_REDIS_CA}",
      description =
          "With --redis: the certificates in PEM by which it proves its identity with rediss://"
              + " ($SLUICE_REDIS_CA).")
  private Optional<Path> redisCertificates = Optional.empty();

  Optional<String> kafka() {
    return kafka;
  }

  Optional<String> redis() {
    return redis;
  }

  /**
   * Returns the services' settings for access. The embedded Kafka and Redis need nothing of this,
   * whatever the environment says.
   */
  Map<String, String> access() {
    Map<String, String> settings = new HashMap<>();
    if (kafka.isPresent()) {
      kafkaConfig.ifPresent(file -> settings.put("kafka-config", file.toString()));
    }
    if (redis.isPresent()) {
      redisPasswordFile.ifPresent(file -> settings.put("redis-password-file", file.toString()));
      redisCertificates.ifPresent(file -> settings.put("redis-ca", file.toString()));
    }
    return settings;
  }
}
