package io.sluice.router.app;

import io.sluice.common.fleet.PeerChannel;
import io.sluice.common.fleet.RedisConnection;
import io.sluice.common.fleet.RedisFleetRegistry;
import io.sluice.common.fleet.RouterReports;
import io.sluice.common.protocol.PoolTopics;
import io.sluice.common.protocol.Topics;
import io.sluice.router.bulk.BulkAllowance;
import io.sluice.router.bulk.BulkFeeder;
import io.sluice.router.classify.Classifier;
import io.sluice.router.explain.DecisionPublisher;
import io.sluice.router.explain.ExplainingListener;
import io.sluice.router.explain.RouterReporter;
import io.sluice.router.fleet.BreakerReports;
import io.sluice.router.fleet.FleetView;
import io.sluice.router.fleet.FleetWatcher;
import io.sluice.router.fleet.WorkerView;
import io.sluice.router.peers.PeerTraffic;
import io.sluice.router.policy.Experience;
import io.sluice.router.policy.RoutingPolicy;
import io.sluice.router.schedule.Backlog;
import io.sluice.router.schedule.Ledger;
import io.sluice.router.schedule.LocalBreakers;
import io.sluice.router.schedule.RequestReader;
import io.sluice.router.schedule.RetryRules;
import io.sluice.router.schedule.SchedulerListener;
import io.sluice.router.schedule.SchedulerParts;
import io.sluice.router.stream.EndOffsets;
import io.sluice.router.stream.LogEnds;
import io.sluice.router.stream.OutcomesFirst;
import io.sluice.router.stream.OwnedPartitions;
import io.sluice.router.stream.RecordWriter;
import io.sluice.router.stream.RouterTopology;
import io.sluice.router.stream.StartPositions;
import io.sluice.router.stream.StreamParts;
import io.sluice.router.stream.TopicMetadata;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.ThreadLocalRandom;
import org.apache.kafka.common.utils.Utils;
import org.apache.kafka.streams.CloseOptions;
import org.apache.kafka.streams.KafkaStreams;
import org.apache.kafka.streams.errors.StreamsUncaughtExceptionHandler.StreamThreadExceptionResponse;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A router's running parts, put together and taken down in order. Thread-safe. */
final class RouterCore implements AutoCloseable {
  private static final Duration CLOSE_WITHIN = Duration.ofSeconds(10);
  private static final Logger log = LoggerFactory.getLogger(RouterCore.class);

  private final Deque<AutoCloseable> toClose = new ArrayDeque<>();
  private final KafkaStreams streams;
  private final FleetView fleet;
  private final TopicMetadata topics;
  private final Backlog backlog;
  private final DecisionPublisher decisions;
  private final PeerTraffic peerTraffic;
  private final Ledger ledger;

  /**
   * Creates the pool's topics where they are missing, and starts.
   *
   * @throws RuntimeException if Kafka cannot be reached or is set up for another pool; nothing is
   *     left running then
   */
  RouterCore(RouterConfig config, SchedulerListener listener, FleetWatcher watcher) {
    try {
      RouterClients clients = new RouterClients(config);
      var admin = opened(clients.admin());
      new PoolTopics(config.lanes(), config.partitions(), config.replication()).create(admin);
      var redis = RedisConnection.open(config.redis());
      toClose.push(redis::shutdown);
      var registry = new RedisFleetRegistry(redis, config.pool());
      var peers = opened(new Peers(config.id(), new PeerChannel(redis, config.pool())));
      peerTraffic = peers.traffic();
      ledger = peers.ledger();
      var experience = peers.experience();
      fleet = opened(new FleetView(registry, System::nanoTime, watcher.and(emptied(experience))));
      var reports = new BreakerReports(registry, Clock.systemUTC());
      topics = opened(new TopicMetadata(admin));
      if (topics.partitions(Topics.REPLIES).isEmpty()) {
        // Else every request that comes now would be refused for its reply topic.
        throw new IllegalStateException(
            "the pool's topics cannot be read; check Kafka at %s".formatted(config.kafka()));
      }
      var writer = opened(RecordWriter.start(opened(clients.producer()), topics));
      var logEnds = new LogEnds(admin, config.lanes());
      backlog = new Backlog(config.maxPendingRequests(), config.maxWait());
      decisions = opened(new DecisionPublisher(opened(clients.decisionProducer()), config.id()));
      opened(
          new RouterReporter(
              config.id(), config.lanes(), backlog, new RouterReports(redis, config.pool())));
      var reader =
          RequestReader.forPool(
              config.lanes(),
              config.models(),
              new Classifier(config.tiers()),
              config.fallbacks(),
              config.assumedOutputTokens(),
              topics,
              logEnds);
      var shared =
          new SchedulerParts(
              RoutingPolicy.of(config.weights()),
              new RetryRules(config.maxFailures()),
              ledger,
              experience,
              backlog,
              fleet::current,
              writer,
              new ExplainingListener(listener, decisions),
              () -> ThreadLocalRandom.current().nextLong(),
              new LocalBreakers(reports::tripped));
      var ends = opened(new EndOffsets(EndOffsets.Logs.of(admin), System::nanoTime));
      ends.start();
      var starts = new StartPositions();
      var partitions = new OwnedPartitions(logEnds::learn);
      var parts =
          new StreamParts(shared, reader, writer, partitions, ends, starts, System::nanoTime);
      streams = start(config, clients, parts);
      opened(
          BulkFeeder.start(
              clients.bulkConsumer(),
              clients.bulkConsumer(),
              clients.bulkProducer(),
              reader,
              partitions::current,
              new BulkAllowance(
                  fleet::current,
                  ledger,
                  backlog,
                  () -> partitions.current().size() / (double) config.partitions(),
                  System::nanoTime),
              Clock.systemUTC()));
      peers.start(fleet::current);
    } catch (RuntimeException e) {
      close();
      throw e;
    }
  }

  /** Whether all partitions that fall to this router are being worked on. */
  boolean isRunning() {
    return streams.state() == KafkaStreams.State.RUNNING;
  }

  KafkaStreams.State state() {
    return streams.state();
  }

  FleetView fleet() {
    return fleet;
  }

  long reachableWorkers() {
    return fleet.current().workers().values().stream()
        .map(WorkerView::snapshot)
        .filter(worker -> worker.accepting())
        .filter(worker -> topics.partitions(Topics.worker(worker.id())).isPresent())
        .count();
  }

  PeerTraffic peerTraffic() {
    return peerTraffic;
  }

  Ledger ledger() {
    return ledger;
  }

  Backlog backlog() {
    return backlog;
  }

  DecisionPublisher decisions() {
    return decisions;
  }

  @Override
  public void close() {
    while (!toClose.isEmpty()) {
      try {
        toClose.pop().close();
      } catch (Exception e) {
        log.warn("event=close_failed reason=\"{}\"", e.getMessage());
      }
    }
  }

  private KafkaStreams start(RouterConfig config, RouterClients clients, StreamParts parts) {
    var topology = RouterTopology.build(config.lanes(), parts);
    var started =
        new KafkaStreams(
            topology,
            clients.streams(stateDirectory(config)),
            new OutcomesFirst(parts.starts(), parts.nanoClock()));
    started.setUncaughtExceptionHandler(
        failure -> {
          log.error("event=stream_thread_failed effect=\"replaced\"", failure);
          return StreamThreadExceptionResponse.REPLACE_THREAD;
        });
    // Leaving the group hands the partitions over at once instead of after the session time-out.
    toClose.push(
        () ->
            started.close(
                CloseOptions.timeout(CLOSE_WITHIN)
                    .withGroupMembershipOperation(
                        CloseOptions.GroupMembershipOperation.LEAVE_GROUP)));
    started.start();
    return started;
  }

  private Path stateDirectory(RouterConfig config) {
    return config
        .stateDirectory()
        .orElseGet(
            () -> {
              try {
                Path temporary = Files.createTempDirectory("sluice-router-");
                toClose.push(() -> Utils.delete(temporary.toFile()));
                return temporary;
              } catch (IOException e) {
                throw new UncheckedIOException(e);
              }
            });
  }

  private static FleetWatcher emptied(Experience experience) {
    return new FleetWatcher() {
      @Override
      public void engineDown(String workerId) {
        experience.engineDown(workerId);
      }
    };
  }

  private <T extends AutoCloseable> T opened(T part) {
    toClose.push(part);
    return part;
  }
}
