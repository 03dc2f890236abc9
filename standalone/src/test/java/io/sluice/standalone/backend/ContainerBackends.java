package io.sluice.standalone.backend;

import org.testcontainers.containers.GenericContainer;
import org.testcontainers.kafka.KafkaContainer;
import org.testcontainers.lifecycle.Startables;

/**
 * Released images in containers. An outage is a paused container: clients see timeouts instead of
 * refused connections. Unlike a restart, a pause keeps the published port.
 */
final class ContainerBackends implements Backends {
  private static final String EIGHT_MEBIBYTES = Integer.toString(8 * 1024 * 1024);
  private static final int REDIS_PORT = 6379;

  private final KafkaContainer kafka =
      new KafkaContainer("apache/kafka-native:4.1.0")
          .withEnv("KAFKA_AUTO_CREATE_TOPICS_ENABLE", "false")
          .withEnv("KAFKA_MESSAGE_MAX_BYTES", EIGHT_MEBIBYTES)
          .withEnv("KAFKA_REPLICA_FETCH_MAX_BYTES", EIGHT_MEBIBYTES)
          .withEnv("KAFKA_GROUP_INITIAL_REBALANCE_DELAY_MS", "0");
  private final GenericContainer<?> redis =
      new GenericContainer<>("redis:7-alpine")
          .withExposedPorts(REDIS_PORT)
          .withCommand("redis-server", "--save", "", "--appendonly", "no");

  ContainerBackends() {
    Startables.deepStart(kafka, redis).join();
  }

  @Override
  public String kafkaBootstrapServers() {
    return kafka.getBootstrapServers();
  }

  @Override
  public String redisUri() {
    return "redis://%s:%d".formatted(redis.getHost(), redis.getMappedPort(REDIS_PORT));
  }

  @Override
  public void stopKafka() {
    pause(kafka);
  }

  @Override
  public void startKafka() {
    unpause(kafka);
  }

  @Override
  public void stopRedis() {
    pause(redis);
  }

  @Override
  public void startRedis() {
    unpause(redis);
  }

  private static void pause(GenericContainer<?> container) {
    container.getDockerClient().pauseContainerCmd(container.getContainerId()).exec();
  }

  private static void unpause(GenericContainer<?> container) {
    container.getDockerClient().unpauseContainerCmd(container.getContainerId()).exec();
  }

  @Override
  public void close() {
    kafka.stop();
    redis.stop();
  }
}
