package io.sluice.worker.app;

import io.micronaut.context.annotation.Requires;
import io.sluice.common.dependency.DependencyWatch;
import io.sluice.common.kafka.UnknownTopic;
import io.sluice.common.protocol.Lanes;
import io.sluice.common.protocol.ReplyAddress;
import io.sluice.common.protocol.Topics;
import io.sluice.common.time.RepeatingThread;
import io.sluice.common.topic.PoolTopics;
import io.sluice.common.topic.Replication;
import io.sluice.fleet.FleetRegistry;
import io.sluice.fleet.PoolSettings;
import io.sluice.worker.config.WorkerConfig;
import io.sluice.worker.generation.StopReason;
import io.sluice.worker.gpu.GpuWatch;
import io.sluice.worker.health.FreezeWatch;
import io.sluice.worker.health.Heartbeat;
import io.sluice.worker.health.MonitorLoop;
import io.sluice.worker.intake.Drain;
import io.sluice.worker.intake.Incarnation;
import io.sluice.worker.intake.IntakeLoop;
import io.sluice.worker.intake.RunningGenerations;
import io.sluice.worker.intake.TopicGuard;
import io.sluice.worker.notice.NoticeWatch;
import io.sluice.worker.reply.KafkaReplyLog;
import io.sluice.worker.reply.KafkaReplyScan;
import io.sluice.worker.watchdog.Watchdog;
import jakarta.inject.Singleton;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.apache.kafka.clients.admin.AdminClient;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Starts and stops a worker in order. Its topic exists and its position is fixed before it
 * registers, so that no assignment is missed. It stops in the reverse order.
 */
@Requires(beans = WorkerConfig.class)
@Singleton
final class WorkerRuntime {
  private static final Duration REGISTRY_BOUND = Duration.ofSeconds(2);
  private static final Duration FREEZE_TICK = Duration.ofMillis(250);
  private static final Duration FIT_CHECK = Duration.ofSeconds(10);
  private static final Duration TOPIC_CHECK = Duration.ofSeconds(10);
  private static final Duration PRODUCER_BOUND = Duration.ofSeconds(5);

  /** Without a bound, it would wait for its calls, a minute if no broker answers. */
  private static final Duration ADMIN_BOUND = Duration.ofSeconds(2);

  private static final Logger log = LoggerFactory.getLogger(WorkerRuntime.class);

  private final WorkerConfig config;
  private final AdminClient admin;
  private final KafkaReplyLog replyLog;
  private final KafkaReplyScan scan;
  private final MonitorLoop monitorLoop;
  private final IntakeLoop intakeLoop;
  private final Heartbeat heartbeat;
  private final FreezeWatch freezeWatch;
  private final FleetRegistry registry;
  private final RunningGenerations running;
  private final Drain drain;
  private final Incarnation incarnation;
  private final TopicGuard topicGuard;
  private final PoolFit poolFit;
  private final RepeatingThread beats;
  private final RepeatingThread freezeTicks;
  private final RepeatingThread checks;
  private final DependencyWatch dependencies;
  private final Watchdog watchdog;
  private final NoticeWatch notices;
  private final GpuWatch gpuWatch;
  private volatile boolean started;

  WorkerRuntime(
      WorkerConfig config,
      AdminClient admin,
      KafkaReplyLog replyLog,
      KafkaReplyScan scan,
      MonitorLoop monitorLoop,
      IntakeLoop intakeLoop,
      Heartbeat heartbeat,
      FreezeWatch freezeWatch,
      FleetRegistry registry,
      RunningGenerations running,
      Drain drain,
      Incarnation incarnation,
      PoolFit poolFit,
      DependencyWatch dependencies,
      Watchdog watchdog,
      NoticeWatch notices,
      GpuWatch gpuWatch) {
    this.config = config;
    this.admin = admin;
    this.replyLog = replyLog;
    this.scan = scan;
    this.monitorLoop = monitorLoop;
    this.intakeLoop = intakeLoop;
    this.heartbeat = heartbeat;
    this.freezeWatch = freezeWatch;
    this.registry = registry;
    this.running = running;
    this.drain = drain;
    this.incarnation = incarnation;
    this.poolFit = poolFit;
    this.dependencies = dependencies;
    this.watchdog = watchdog;
    this.notices = notices;
    this.gpuWatch = gpuWatch;
    this.topicGuard = new TopicGuard(Topics.worker(config.id()), this::hasTopic, this::createTopic);
    this.beats = new RepeatingThread("sluice-heartbeat-" + config.id());
    this.freezeTicks = new RepeatingThread("sluice-freeze-watch-" + config.id());
    this.checks = new RepeatingThread("sluice-checks-" + config.id());
  }

  /**
   * Starts everything; returns when assignments would be read.
   *
   * @throws IllegalStateException if the worker's topic cannot be created, or the pool has no such
   *     tier or lane
   */
  void start() {
    poolFit.requireAtStart();
    createTopic();
    monitorLoop.start();
    intakeLoop.start();
    scan.warmUp(new ReplyAddress(Topics.REPLIES, 0));
    var _ = beats.repeat(Duration.ZERO, config.heartbeat(), heartbeat::beat);
    var _ = freezeTicks.repeat(Duration.ZERO, FREEZE_TICK, freezeWatch::tick);
    var _ = checks.repeat(TOPIC_CHECK, TOPIC_CHECK, topicGuard::check);
    var _ = checks.repeat(FIT_CHECK, FIT_CHECK, poolFit::check);
    dependencies.start();
    watchdog.start();
    notices.start();
    gpuWatch.start();
    started = true;
    log.info("event=worker_started worker={} engine={}", config.id(), config.engine().url());
  }

  /** Returns whether the worker reads its topic. */
  boolean isStarted() {
    return started;
  }

  /** Returns whether a snapshot was published in which the worker accepts requests. */
  boolean isReady() {
    return heartbeat.isAnnounced();
  }

  /**
   * Stops gracefully: returns requests that have not started, and lets the others finish within the
   * grace period.
   */
  void drainAndStop() {
    log.info("event=worker_draining worker={} running={}", config.id(), running.count());
    watchdog.close();
    notices.close();
    gpuWatch.close();
    drain.stop();
    dependencies.close();
    stopRepeating();
    deregister();
    closeClients(PRODUCER_BOUND, ADMIN_BOUND);
    log.info("event=worker_stopped worker={}", config.id());
  }

  /** Stops as a killed process would: reports nothing. */
  void kill() {
    watchdog.close();
    notices.close();
    gpuWatch.close();
    dependencies.close();
    stopRepeating();
    running.stop(any -> true, StopReason.ABANDONED);
    closeClients(Duration.ZERO, Duration.ZERO);
  }

  private void createTopic() {
    PoolSettings pool = config.pool();
    short replication = Replication.of(pool.replication(), admin);
    new PoolTopics(Lanes.standard(), pool.partitions(), replication)
        .createWorkerTopic(admin, config.id());
  }

  private CompletionStage<Boolean> hasTopic() {
    String topic = Topics.worker(config.id());
    return admin
        .describeTopics(List.of(topic))
        .allTopicNames()
        .toCompletionStage()
        .handle(
            (description, failure) -> {
              if (failure == null || UnknownTopic.isCauseOf(failure)) {
                return failure == null;
              }
              throw new CompletionException(failure);
            });
  }

  private void stopRepeating() {
    beats.close();
    freezeTicks.close();
    checks.close();
  }

  private void deregister() {
    try {
      registry
          .remove(config.id(), incarnation.current())
          .toCompletableFuture()
          .get(REGISTRY_BOUND.toMillis(), TimeUnit.MILLISECONDS);
    } catch (ExecutionException | TimeoutException e) {
      log.warn("event=deregister_failed worker={} reason=\"{}\"", config.id(), e.getMessage());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private void closeClients(Duration producerBound, Duration adminBound) {
    intakeLoop.close();
    monitorLoop.close();
    scan.close();
    replyLog.close(producerBound);
    admin.close(adminBound);
  }
}
