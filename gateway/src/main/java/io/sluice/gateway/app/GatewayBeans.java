package io.sluice.gateway.app;

import io.micronaut.context.annotation.Bean;
import io.micronaut.context.annotation.Context;
import io.micronaut.context.annotation.Factory;
import io.sluice.common.trace.Tracer;
import io.sluice.fleet.FleetRegistry;
import io.sluice.fleet.RedisFleetRegistry;
import io.sluice.fleet.quota.Quotas;
import io.sluice.fleet.quota.RedisQuotas;
import io.sluice.fleet.redis.RedisConnection;
import io.sluice.fleet.redis.RedisNotes;
import io.sluice.fleet.redis.RedisTable;
import io.sluice.fleet.retry.RetryIndex;
import io.sluice.gateway.access.FileKeys;
import io.sluice.gateway.access.GatewayKeys;
import io.sluice.gateway.access.RedisKeyStore;
import io.sluice.gateway.batch.BatchService;
import io.sluice.gateway.batch.run.LineFormat;
import io.sluice.gateway.config.GatewayConfig;
import io.sluice.gateway.config.KeySource;
import io.sluice.gateway.files.GatewayFiles;
import io.sluice.gateway.http.JsonMemory;
import io.sluice.gateway.model.FleetModels;
import io.sluice.gateway.responses.record.KafkaResponseLog;
import io.sluice.gateway.responses.record.Places;
import io.sluice.producer.ClientConfig;
import io.sluice.producer.client.SluiceClient;
import io.sluice.tracing.Tracing;
import jakarta.inject.Singleton;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.time.Clock;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import org.redisson.api.RedissonClient;

/** Creates the beans of a gateway. */
@Factory
final class GatewayBeans {
  private static final Duration CONNECT_TIMEOUT = Duration.ofSeconds(10);
  private static final Duration DEADLINE_GRACE = Duration.ofSeconds(10);

  /** As long as pools keep responses, unless they are configured to keep them longer. */
  private static final Duration PLACES_KEPT = Duration.ofDays(2);

  /** For tokens that clients have not read. */
  private static final int UNREAD_HEAP_SHARE = 8;

  private static final long REMEMBERED_RESPONSE_BYTES = 64L * 1024 * 1024;

  /** A request without a free place is refused at once. */
  private static final Duration NO_WAIT = Duration.ZERO;

  @Singleton
  Clock clock() {
    return Clock.systemUTC();
  }

  @Bean(preDestroy = "close")
  @Singleton
  Tracing tracing(GatewayConfig config, Clock clock) {
    return Tracing.open(config.trace(), "sluice-gateway", instance(), clock);
  }

  @Singleton
  Tracer tracer(Tracing tracing) {
    return tracing.tracer();
  }

  /** As the host's name is that of the pod or container. */
  private static String instance() {
    try {
      return InetAddress.getLocalHost().getHostName();
    } catch (UnknownHostException e) {
      return "gateway";
    }
  }

  @Singleton
  ClientConfig clientConfig(GatewayConfig config) {
    Map<String, String> kafka = new HashMap<>(config.pool().kafkaProperties().entries());
    kafka.putIfAbsent("client.id", "sluice-gateway");
    ClientConfig client =
        ClientConfig.at(config.pool().kafka())
            .withKafka(kafka)
            .withMaxInFlight(config.maxConcurrent())
            .withMaxUnreadBytes(Runtime.getRuntime().maxMemory() / UNREAD_HEAP_SHARE)
            .withTimeouts(CONNECT_TIMEOUT, NO_WAIT, DEADLINE_GRACE);
    return config.replyService().map(client::withReplyService).orElse(client);
  }

  @Bean(preDestroy = "close")
  @Singleton
  SluiceClient client(ClientConfig config) {
    return SluiceClient.connect(config);
  }

  @Bean(preDestroy = "close")
  @Singleton
  KafkaResponseLog responseLog(ClientConfig config, Places places) {
    return KafkaResponseLog.open(config, REMEMBERED_RESPONSE_BYTES, places);
  }

  @Singleton
  Places places(RedissonClient redis, GatewayConfig config) {
    RedisNotes notes = new RedisNotes(redis, config.pool().name(), "response", PLACES_KEPT);
    return new Places(
        new Places.Store() {
          @Override
          public CompletionStage<Optional<String>> find(String requestId) {
            return notes.find(requestId);
          }

          @Override
          public CompletionStage<Void> put(String requestId, String text) {
            return notes.put(requestId, text);
          }
        });
  }

  @Bean(preDestroy = "shutdown")
  @Singleton
  RedissonClient redis(GatewayConfig config) {
    return RedisConnection.open(config.pool().redis());
  }

  @Singleton
  FleetRegistry fleetRegistry(RedissonClient redis, GatewayConfig config) {
    return new RedisFleetRegistry(redis, config.pool().name());
  }

  @Singleton
  GatewayKeys keys(RedissonClient redis, GatewayConfig config) {
    return switch (config.keys()) {
      case KeySource.None _ -> GatewayKeys.NONE;
      case KeySource.File file ->
          GatewayKeys.of(
              new FileKeys(file.path()),
              config.keysMaxAge(),
              "--keys names this file; 'sluice keys create' writes such files");
      case KeySource.Redis _ ->
          GatewayKeys.of(
              new RedisKeyStore(new RedisTable(redis, config.pool().name(), RedisKeyStore.TABLE)),
              config.keysMaxAge(),
              "--redis is %s; start it, or correct --redis or --keys"
                  .formatted(config.pool().redis().shown()));
    };
  }

  @Singleton
  Quotas quotas(RedissonClient redis, GatewayConfig config) {
    return new RedisQuotas(redis, config.pool().name());
  }

  @Singleton
  RetryIndex retryIndex(RedissonClient redis, GatewayConfig config) {
    return new RetryIndex(redis, config.pool().name());
  }

  @Bean(preDestroy = "close")
  @Context
  GatewayFiles files(GatewayConfig config, Clock clock) {
    return GatewayFiles.open(config.files(), clock);
  }

  @Bean(preDestroy = "close")
  @Singleton
  BatchService batches(
      GatewayConfig config,
      ClientConfig client,
      GatewayFiles files,
      LineFormat format,
      JsonMemory memory,
      Clock clock) {
    return files
        .store()
        .map(
            store ->
                BatchService.start(
                    client,
                    store,
                    config.files().tenantMaxBytes(),
                    format,
                    memory,
                    config.batches(),
                    clock))
        .orElseGet(BatchService::none);
  }

  @Singleton
  FleetModels fleetModels(FleetRegistry registry, Clock clock) {
    return new FleetModels(registry, clock);
  }
}
