package io.sluice.standalone.pool;

import io.sluice.standalone.backend.BackendStartException;
import io.sluice.standalone.kafka.EmbeddedKafka;
import io.sluice.standalone.redis.EmbeddedRedis;
import io.sluice.standalone.redis.RedisSettings;
import java.nio.file.Path;
import java.util.Optional;

/**
 * What the services of a local pool stand on: its data, and its Kafka and Redis unless existing
 * ones are used. Thread-safe.
 */
final class LocalBackends {
  private final PoolPlan plan;
  private final Started started;
  private final LocalData data;
  private final Optional<RemoteAccess> remote;
  private volatile Optional<EmbeddedRedis> redis = Optional.empty();

  /**
   * Opens the data of a pool.
   *
   * @param started gets what has to be stopped
   * @throws BackendStartException if its directory or its address for other machines cannot be used
   */
  LocalBackends(PoolPlan plan, Started started) {
    this.plan = plan;
    this.started = started;
    data = started.start(() -> LocalData.open(plan.dataDirectory()));
    remote =
        plan.exposure()
            .host()
            .map(host -> RemoteAccess.open(host, plan.ports().remoteKafka(), data.access()));
  }

  /**
   * Returns the bootstrap servers of Kafka, which is started unless there is one.
   *
   * @throws BackendStartException if it does not start
   */
  String startKafka() {
    return plan.kafka()
        .orElseGet(
            () -> {
              var config =
                  new EmbeddedKafka.Config(plan.ports().kafka(), data.kafka())
                      .withRemote(remote.map(RemoteAccess::kafka));
              return started.start(() -> EmbeddedKafka.start(config)).bootstrapServers();
            });
  }

  /**
   * Returns the address of Redis, which is started unless there is one.
   *
   * @throws BackendStartException if it does not start
   */
  String startRedis() {
    return plan.redis()
        .orElseGet(
            () -> {
              var settings =
                  new RedisSettings(
                      plan.ports().redis(), data.redis(), remote.map(RemoteAccess::redis));
              EmbeddedRedis embedded = started.start(() -> EmbeddedRedis.start(settings));
              redis = Optional.of(embedded);
              return embedded.uri();
            });
  }

  /** Returns whether the embedded Redis runs; also true with another Redis. */
  boolean isRedisAlive() {
    return redis.map(embedded -> embedded.process().isAlive()).orElse(true);
  }

  /** Returns the access of other machines; empty if the pool is not open to them. */
  Optional<RemoteAccess> remote() {
    return remote;
  }

  /** Returns the folder of the gateway's files. */
  Path files() {
    return data.files();
  }
}
