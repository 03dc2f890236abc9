package io.sluice.worker.app;

import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.config.MeterFilter;
import io.micronaut.configuration.kafka.admin.AdminClientFactory;
import io.micronaut.context.annotation.Bean;
import io.micronaut.context.annotation.Factory;
import io.micronaut.context.annotation.Replaces;
import io.micronaut.context.annotation.Requires;
import io.micronaut.http.HttpVersion;
import io.micronaut.http.client.HttpVersionSelection;
import io.micronaut.http.client.RawHttpClientRegistry;
import io.sluice.common.dependency.DependencyWatch;
import io.sluice.common.dependency.KafkaProbe;
import io.sluice.fleet.FleetRegistry;
import io.sluice.fleet.RedisFleetRegistry;
import io.sluice.fleet.peers.RouterReports;
import io.sluice.fleet.redis.RedisConnection;
import io.sluice.tracing.Tracing;
import io.sluice.worker.answer.Gathering;
import io.sluice.worker.clock.Ticker;
import io.sluice.worker.config.WorkerConfig;
import io.sluice.worker.engine.EngineClient;
import io.sluice.worker.engine.EngineTimeouts;
import io.sluice.worker.engine.client.OpenAiEngineClient;
import io.sluice.worker.engine.http.ConnectionCloser;
import io.sluice.worker.engine.http.MicronautTransport;
import io.sluice.worker.generation.EngineTally;
import io.sluice.worker.generation.GenerationMeter;
import io.sluice.worker.generation.HeldMemory;
import io.sluice.worker.generation.Services;
import io.sluice.worker.health.BreakerMonitor;
import io.sluice.worker.health.BreakerNotifyingMeter;
import io.sluice.worker.health.EngineMonitor;
import io.sluice.worker.health.EngineWatch;
import io.sluice.worker.health.FreezeWatch;
import io.sluice.worker.health.Heartbeat;
import io.sluice.worker.health.MonitorLoop;
import io.sluice.worker.intake.Admission;
import io.sluice.worker.intake.Drain;
import io.sluice.worker.intake.Incarnation;
import io.sluice.worker.intake.Intake;
import io.sluice.worker.intake.IntakeLoop;
import io.sluice.worker.intake.RunningGenerations;
import io.sluice.worker.limit.AdaptiveLimit;
import io.sluice.worker.limit.Ramp;
import io.sluice.worker.reply.KafkaReplyLog;
import io.sluice.worker.reply.KafkaReplyScan;
import io.sluice.worker.trace.AttemptTraces;
import io.sluice.worker.warmup.EngineEntry;
import jakarta.inject.Singleton;
import java.time.Clock;
import java.time.Duration;
import org.apache.kafka.clients.admin.AdminClient;
import org.redisson.api.RedissonClient;

/**
 * Assembles the parts of a worker. Parts with threads are started and closed by {@link
 * WorkerRuntime}.
 */
@Requires(beans = WorkerConfig.class)
@Factory
final class WorkerBeans {
  /** How long the last records may take after the grace period of a drain. */
  private static final Duration RETURN_TIMEOUT = Duration.ofSeconds(20);

  @Bean(preDestroy = "close")
  @Replaces(value = AdminClient.class, factory = AdminClientFactory.class)
  @Singleton
  AdminClient adminClient(KafkaClients clients) {
    return clients.admin();
  }

  @Singleton
  Ticker ticker() {
    return Ticker.system();
  }

  @Singleton
  EngineClient engineClient(
      WorkerConfig config,
      RawHttpClientRegistry clients,
      ConnectionCloser connections,
      Ticker ticker) {
    WorkerConfig.Engine engine = config.engine();
    var client =
        clients.getRawClient(
            HttpVersionSelection.forLegacyVersion(HttpVersion.HTTP_1_1),
            ContextProperties.ENGINE_CLIENT,
            null);
    return new OpenAiEngineClient(
        new MicronautTransport(client, connections, engine.url()),
        new EngineTimeouts(engine.headTimeout(), engine.firstTokenTimeout(), engine.stallTimeout()),
        ticker,
        engine.apiKey());
  }

  @Singleton
  EngineMonitor engineMonitor(EngineClient engine, WorkerConfig config, Clock clock) {
    return new EngineMonitor(engine, config.engine(), clock);
  }

  @Singleton
  BreakerMonitor breakerMonitor(WorkerConfig config, FleetRegistry registry, Clock clock) {
    return new BreakerMonitor(config.id(), registry, clock);
  }

  @Singleton
  KafkaReplyLog replyLog(KafkaClients clients, Ticker ticker) {
    return new KafkaReplyLog(clients.producer(ContextProperties.REPLIES), ticker);
  }

  @Singleton
  KafkaReplyScan replyScan(KafkaClients clients, Ticker ticker) {
    return new KafkaReplyScan(() -> clients.consumer(ContextProperties.SCAN), ticker);
  }

  @Singleton
  Services services(
      WorkerConfig config,
      EngineClient engine,
      EngineMonitor monitor,
      KafkaReplyLog log,
      KafkaReplyScan scan,
      Ticker ticker,
      GenerationMeter meter,
      EngineTally tally,
      BreakerMonitor breaker,
      MonitorLoop monitorLoop,
      Tracing tracing) {
    return new Services(
        engine,
        () -> monitor.state().facts(config.engine().model()),
        log,
        scan,
        ticker,
        new BreakerNotifyingMeter(meter, breaker),
        tally,
        monitorLoop,
        HeldMemory.ofHeap(),
        new AttemptTraces(tracing.tracer(), config.engine().url()),
        Gathering.ofStream(config.limits().gather()),
        Gathering.ofWholeAnswer(config.limits().nonStreamGather()));
  }

  @Bean(preDestroy = "close")
  @Singleton
  Tracing tracing(WorkerConfig config, Clock clock) {
    return Tracing.open(config.trace(), "sluice-worker", config.id(), clock);
  }

  @Singleton
  RunningGenerations runningGenerations() {
    return new RunningGenerations();
  }

  @Singleton
  Incarnation incarnation() {
    return new Incarnation();
  }

  @Singleton
  AdaptiveLimit adaptiveLimit(WorkerConfig config) {
    return AdaptiveLimit.upTo(config.limits().maxConcurrent());
  }

  @Singleton
  EngineTally engineTally() {
    return new EngineTally();
  }

  @Singleton
  MonitorLoop monitorLoop(EngineWatch watch, BreakerMonitor breaker, WorkerConfig config) {
    return new MonitorLoop(watch, breaker, config.engine().scrapeInterval());
  }

  @Singleton
  Drain drain(WorkerConfig config, RunningGenerations running) {
    return new Drain(running, config.limits().drainGrace(), RETURN_TIMEOUT);
  }

  @Singleton
  Admission admission(Ramp ramp, Drain drain, EngineEntry entry, BreakerMonitor breaker) {
    return new Admission(ramp::limit, drain::isDraining, entry::isOpen, breaker::phase);
  }

  @Singleton
  IntakeLoop intakeLoop(
      WorkerConfig config,
      KafkaClients clients,
      Services services,
      RunningGenerations running,
      Admission admission,
      Incarnation incarnation,
      Ticker ticker,
      MeterRegistry registry) {
    var loop =
        new IntakeLoop(
            clients.consumer(ContextProperties.INTAKE),
            config.id(),
            new Intake(services, running, admission, incarnation),
            ticker);
    Gauge.builder("sluice.worker.lag", loop, IntakeLoop::lag)
        .description("Records of the worker's topic that it has not read yet")
        .baseUnit("records")
        .tag("worker", config.id())
        .register(registry);
    return loop;
  }

  @Singleton
  MeterFilter metricNames(WorkerConfig config) {
    return GenAiNames.filter(config.metricNames());
  }

  @Bean(preDestroy = "shutdown")
  @Singleton
  RedissonClient redis(WorkerConfig config) {
    return RedisConnection.open(config.pool().redis());
  }

  @Singleton
  FleetRegistry fleetRegistry(RedissonClient redis, WorkerConfig config) {
    return new RedisFleetRegistry(redis, config.pool().name());
  }

  @Singleton
  PoolFit poolFit(WorkerConfig config, RedissonClient redis) {
    return new PoolFit(config, new RouterReports(redis, config.pool().name())::readAll);
  }

  @Singleton
  Heartbeat heartbeat(
      WorkerConfig config,
      FleetRegistry registry,
      EngineMonitor monitor,
      EngineWatch watch,
      RunningGenerations running,
      Admission admission,
      Incarnation incarnation,
      Drain drain) {
    return new Heartbeat(
        config,
        registry,
        monitor,
        watch::pace,
        running,
        admission,
        incarnation,
        drain::apply,
        Version.current());
  }

  @Bean(preDestroy = "close")
  @Singleton
  KafkaProbe kafkaProbe(WorkerConfig config) {
    return KafkaProbe.open(config.pool().kafka(), config.pool().kafkaProperties().entries());
  }

  @Singleton
  DependencyWatch dependencyWatch(
      WorkerConfig config, KafkaProbe kafka, Heartbeat heartbeat, EngineMonitor engine) {
    return WorkerDependencies.watch(config, kafka, heartbeat, engine);
  }

  @Singleton
  FreezeWatch freezeWatch(RunningGenerations running, Incarnation incarnation, Ticker ticker) {
    return new FreezeWatch(running, incarnation, ticker);
  }
}
