package io.sluice.worker.app;

import io.micrometer.core.instrument.MeterRegistry;
import io.micronaut.context.annotation.Bean;
import io.micronaut.context.annotation.Factory;
import io.micronaut.context.annotation.Requires;
import io.sluice.fleet.FleetRegistry;
import io.sluice.fleet.RedisRestartPermits;
import io.sluice.worker.clock.Ticker;
import io.sluice.worker.config.WarmUpSettings;
import io.sluice.worker.config.WatchdogMode;
import io.sluice.worker.config.WorkerConfig;
import io.sluice.worker.engine.EngineClient;
import io.sluice.worker.generation.EngineTally;
import io.sluice.worker.gpu.GpuWatch;
import io.sluice.worker.health.EngineMonitor;
import io.sluice.worker.health.EngineWatch;
import io.sluice.worker.intake.Drain;
import io.sluice.worker.intake.RunningGenerations;
import io.sluice.worker.limit.AdaptiveLimit;
import io.sluice.worker.limit.HeatLimit;
import io.sluice.worker.limit.Ramp;
import io.sluice.worker.notice.NoticeWatch;
import io.sluice.worker.warmup.EngineEntry;
import io.sluice.worker.warmup.WarmUp;
import io.sluice.worker.warmup.WarmUpPrompts;
import io.sluice.worker.watchdog.Diagnosis;
import io.sluice.worker.watchdog.TierPermit;
import io.sluice.worker.watchdog.Watchdog;
import jakarta.inject.Singleton;
import java.time.Clock;
import org.redisson.api.RedissonClient;

/** Assembles what watches over an engine and its machine: entry, heat, decline, restart, end. */
@Requires(beans = WorkerConfig.class)
@Factory
final class WatchdogBeans {

  @Singleton
  EngineWatch engineWatch(
      EngineMonitor monitor,
      RunningGenerations running,
      EngineTally tally,
      AdaptiveLimit limit,
      EngineEntry entry,
      Diagnosis diagnosis,
      WorkerConfig config,
      Ticker ticker) {
    boolean isWatched = config.watchdog().mode() != WatchdogMode.OFF;
    return new EngineWatch(
        monitor,
        running,
        tally,
        limit,
        ticker,
        sample -> {
          entry.observe();
          if (isWatched && entry.isOpen()) {
            diagnosis.observe(sample);
          }
        });
  }

  @Bean(preDestroy = "close")
  @Singleton
  EngineEntry engineEntry(
      EngineMonitor monitor, EngineClient engine, WorkerConfig config, Ramp ramp) {
    WarmUpSettings settings = config.warmUp();
    var warmUp = new WarmUp(engine, WarmUpPrompts.of(settings.prompts()), settings);
    return new EngineEntry(monitor, warmUp, settings, ramp);
  }

  @Singleton
  HeatLimit heatLimit(AdaptiveLimit limit) {
    return new HeatLimit(limit::limit);
  }

  @Singleton
  Ramp ramp(HeatLimit limit, WorkerConfig config, Ticker ticker) {
    return new Ramp(limit::limit, config.warmUp().ramp(), ticker);
  }

  @Singleton
  GpuWatch gpuWatch(WorkerConfig config, HeatLimit limit, MeterRegistry registry) {
    return GpuWatch.of(config.gpu(), limit, GpuMeters.register(registry, config.id(), limit));
  }

  @Singleton
  Diagnosis diagnosis(WorkerConfig config) {
    return new Diagnosis(config.watchdog().window());
  }

  @Singleton
  Watchdog watchdog(
      WorkerConfig config,
      EngineMonitor monitor,
      Diagnosis diagnosis,
      RedissonClient redis,
      FleetRegistry registry,
      Drain drain,
      EngineEntry entry,
      Ticker ticker) {
    var permit =
        new TierPermit(
            new RedisRestartPermits(redis, config.pool().name()),
            registry::readAll,
            config.tier(),
            config.id(),
            config.watchdog().share());
    return Watchdog.of(config, monitor, diagnosis, permit, drain, entry, ticker);
  }

  @Bean(preDestroy = "close")
  @Singleton
  NoticeWatch noticeWatch(WorkerConfig config, Drain drain, Clock clock) {
    return NoticeWatch.of(config.notice(), drain, clock);
  }
}
