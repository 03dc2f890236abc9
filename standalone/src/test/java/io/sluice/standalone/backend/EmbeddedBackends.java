package io.sluice.standalone.backend;

import io.sluice.standalone.kafka.EmbeddedKafka;
import io.sluice.standalone.redis.EmbeddedRedis;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import org.apache.kafka.common.utils.Utils;

/** The product's own embedded backends. An outage is a real stop, and Redis is empty afterwards. */
final class EmbeddedBackends implements Backends {
  private final Path directory;
  private EmbeddedKafka kafka;
  private EmbeddedRedis redis;

  EmbeddedBackends() {
    try {
      directory = Files.createTempDirectory("sluice-it-");
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    redis = EmbeddedRedis.start(0);
    kafka = startKafka(0);
  }

  private EmbeddedKafka startKafka(int port) {
    return EmbeddedKafka.start(new EmbeddedKafka.Config(port, Optional.of(directory)));
  }

  @Override
  public String kafkaBootstrapServers() {
    return kafka.bootstrapServers();
  }

  @Override
  public String redisUri() {
    return redis.uri();
  }

  @Override
  public void stopKafka() {
    kafka.close();
  }

  @Override
  public void startKafka() {
    kafka = startKafka(kafka.port());
  }

  @Override
  public void stopRedis() {
    redis.close();
  }

  @Override
  public void startRedis() {
    redis = EmbeddedRedis.start(redis.port());
  }

  @Override
  public void close() {
    kafka.close();
    redis.close();
    try {
      Utils.delete(directory.toFile());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
