package io.sluice.router.app;

import io.sluice.common.dependency.DependencyWatch;
import io.sluice.common.protocol.Topics;
import io.sluice.common.topic.PoolTopics;
import io.sluice.common.topic.Replication;
import io.sluice.common.trace.Tracer;
import io.sluice.fleet.RedisFleetRegistry;
import io.sluice.fleet.peers.PeerChannel;
import io.sluice.fleet.peers.RouterReport;
import io.sluice.fleet.peers.RouterReports;
import io.sluice.fleet.peers.SentHistory;
import io.sluice.fleet.redis.RedisConnection;
import io.sluice.router.bulk.BulkAllowance;
import io.sluice.router.bulk.BulkFeeder;
import io.sluice.router.catalog.PromptFactors;
import io.sluice.router.catalog.ServedModels;
import io.sluice.router.classify.Classifier;
import io.sluice.router.clock.PoolClock;
import io.sluice.router.explain.DecisionPublisher;
import io.sluice.router.fleet.BreakerReports;
import io.sluice.router.fleet.FleetView;
import io.sluice.router.fleet.FleetWatcher;
import io.sluice.router.fleet.WorkerView;
import io.sluice.router.lease.RetryPolicy;
import io.sluice.router.lease.WorkerLiveness;
import io.sluice.router.log.BoundedAppendTimes;
import io.sluice.router.log.EndOffsets;
import io.sluice.router.log.LogEnds;
import io.sluice.router.log.LogReader;
import io.sluice.router.log.LoggedBodies;
import io.sluice.router.log.ReplyEnds;
import io.sluice.router.parse.RequestReader;
import io.sluice.router.peers.PeerTraffic;
import io.sluice.router.placement.Ledger;
import io.sluice.router.placement.LocalBreakers;
import io.sluice.router.placement.RoutingContext;
import io.sluice.router.policy.RoutingPolicy;
import io.sluice.router.queue.Backlog;
import io.sluice.router.report.AnsweredTokens;
import io.sluice.router.report.KnownNames;
import io.sluice.router.report.RouterLoad;
import io.sluice.router.report.RouterReporter;
import io.sluice.router.report.Signals;
import io.sluice.router.request.EarlyControlIds;
import io.sluice.router.schedule.SchedulerListeners;
import io.sluice.router.schedule.task.EndedLimit;
import io.sluice.router.schedule.task.SchedulerListener;
import io.sluice.router.schedule.task.SchedulerParts;
import io.sluice.router.stream.OwnedPartitions;
import io.sluice.router.stream.PauseDetector;
import io.sluice.router.stream.StartPositions;
import io.sluice.router.stream.StreamParts;
import io.sluice.router.thread.BackgroundThreads;
import io.sluice.router.topic.AbandonedTopics;
import io.sluice.router.topic.TopicMetadata;
import io.sluice.router.trace.RouterSpans;
import io.sluice.router.write.RecordWriter;
import java.time.Clock;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.Consumer;
import org.apache.kafka.streams.KafkaStreams;

/** The parts of a running router, which it starts and stops in order. Thread-safe. */
final class RouterCore implements AutoCloseable {
  /** The share of the heap for recent records, and the same share for ended requests. */
  private static final int HEAP_SHARE = 8;

  private final OpenParts open = new OpenParts();
  private final BackgroundThreads threads = new BackgroundThreads();
  private final RouterStreams streams;
  private final FleetView fleet;
  private final TopicMetadata topics;
  private final RecordWriter writer;
  private final Backlog backlog;
  private final EndedLimit endedLimit;
  private final DecisionPublisher decisions;
  private final PeerTraffic peerTraffic;
  private final Ledger ledger;
  private final BulkFeeder bulkFeeder;
  private final DependencyWatch dependencies;
  private final Signals signals;

  /**
   * Creates missing topics of the pool, and starts.
   *
   * @param demand is told every second what the open requests of this router ask of workers
   * @throws RuntimeException if Kafka cannot be reached or is set up for another pool; nothing
   *     keeps running then
   */
  RouterCore(
      RouterConfig config,
      SchedulerListener listener,
      FleetWatcher watcher,
      Consumer<List<RouterReport.Demand>> demand,
      Tracer tracer,
      Clock wallClock) {
    try {
      RouterClients clients = new RouterClients(config);
      var kafka = open.add(clients.probe());
      var admin = open.add(clients.admin());
      short replication = Replication.of(config.pool().replication(), admin);
      new PoolTopics(
              config.lanes(),
              config.pool().partitions(),
              replication,
              config.limits().longestDeadline())
          .create(admin);
      var redis = RedisConnection.open(config.pool().redis());
      open.add(redis::shutdown);
      var registry = new RedisFleetRegistry(redis, config.pool().name());
      var peers =
          open.add(
              new Peers(
                  config.id(),
                  new PeerChannel(redis, config.pool().name()),
                  new SentHistory(redis, config.pool().name()),
                  threads));
      peerTraffic = peers.traffic();
      ledger = peers.ledger();
      var experience = peers.experience();
      fleet = open.add(new FleetView(registry, System::nanoTime, watcher.and(peers.watcher())));
      dependencies = open.add(RouterDependencies.watch(config, kafka, fleet));
      dependencies.start();
      var clocks = open.add(new BrokerClocks(config.lanes(), admin, clients, wallClock));
      PoolClock time = clocks.start();
      var reports = new BreakerReports(registry, time::millis);
      topics = open.add(new TopicMetadata(admin));
      if (topics.partitions(Topics.REPLIES).isEmpty()) {
        // Otherwise every request that arrives now would be refused for its reply topic.
        throw new IllegalStateException(
            "the pool's topics cannot be read; check Kafka at %s".formatted(config.pool().kafka()));
      }
      writer = open.add(RecordWriter.start(open.add(clients.producer()), topics));
      var logEnds = new LogEnds(admin, config.lanes());
      var partitions = new OwnedPartitions(logEnds::learn);
      backlog =
          new Backlog(
              config.limits().backlog(), config.limits().maxWait(), partitions::startedShare);
      endedLimit = new EndedLimit(Runtime.getRuntime().maxMemory() / HEAP_SHARE);
      decisions =
          open.add(
              new DecisionPublisher(open.add(clients.decisionProducer()), config.id(), threads));
      var factors = new PromptFactors();
      var served =
          new ServedModels(
              config.models().catalogue(),
              config.models().grace(),
              fleet::current,
              System::nanoTime);
      var answered = new AnsweredTokens(System::nanoTime);
      var reader =
          RequestReader.forPool(
                  config.lanes(),
                  config.models().catalogue(),
                  new Classifier(config.tierSettings().rules()),
                  config.rules(),
                  topics,
                  logEnds)
              .withFleet(served, factors)
              .tracedBy(tracer);
      var logReader = open.add(LogReader.start(clients.recordConsumer(), threads));
      var bodies = new LoggedBodies(logReader, Runtime.getRuntime().maxMemory() / HEAP_SHARE);
      var ends = open.add(new EndOffsets(EndOffsets.Logs.of(admin), System::nanoTime));
      ends.start(partitions::areIdle);
      var appendTimes = new BoundedAppendTimes(time, ends, System::nanoTime);
      var earlyControlIds = new EarlyControlIds();
      var shared =
          SchedulerParts.builder(
                  new RoutingContext(
                      RoutingPolicy.of(config.weights()),
                      experience,
                      fleet::current,
                      ledger,
                      new LocalBreakers(reports::tripped),
                      new WorkerLiveness(),
                      writer,
                      () -> ThreadLocalRandom.current().nextLong()),
                  bodies,
                  backlog,
                  new RetryPolicy(config.limits().maxFailures()))
              .listener(
                  SchedulerListeners.of(
                      listener, decisions, answered, new RouterSpans(tracer, time::millis)))
              .longestDeadline(config.limits().longestDeadline())
              .replyStarts(new ReplyEnds(ends, time, System::nanoTime))
              .earlyControlIds(earlyControlIds)
              .served(served)
              .factors(factors)
              .endedLimit(endedLimit)
              .build();
      var starts = new StartPositions();
      var parts =
          new StreamParts(
              shared,
              reader,
              writer,
              partitions,
              ends,
              starts,
              time,
              appendTimes,
              System::nanoTime,
              open.add(PauseDetector.start())::pauses);
      streams = open.add(RouterStreams.start(config, clients, parts, replication));
      bulkFeeder =
          open.add(
              BulkFeeder.start(
                  clients.bulkConsumer(),
                  clients.bulkRereader(),
                  clients.bulkProducer(),
                  reader,
                  partitions::current,
                  new BulkAllowance(
                      fleet::current,
                      ledger,
                      backlog,
                      () -> partitions.current().size() / (double) config.pool().partitions(),
                      System::nanoTime),
                  earlyControlIds,
                  time::millis,
                  appendTimes,
                  threads));
      var names =
          new KnownNames(config.models().catalogue(), served, config.tierSettings().names());
      signals = new Signals(names, fleet::current, System::nanoTime);
      open.add(
          new RouterReporter(
              config.id(),
              config.lanes(),
              config.tierSettings().names(),
              backlog,
              new RouterReporter.Partitions(partitions::current, config.pool().partitions()),
              new RouterLoad(
                  names,
                  List.of(backlog.demand(), bulkFeeder.demand()),
                  ledger.running(),
                  answered,
                  time::millis),
              demand,
              signals,
              factors,
              new RouterReports(redis, config.pool().name())));
      open.add(
          AbandonedTopics.start(
              admin, topics, fleet::current, () -> partitions.current().contains(0)));
      peers.start(fleet::current);
    } catch (RuntimeException e) {
      close();
      throw e;
    }
  }

  /** Returns whether all assigned partitions are being worked on. */
  boolean isRunning() {
    return streams.state() == KafkaStreams.State.RUNNING;
  }

  KafkaStreams.State state() {
    return streams.state();
  }

  /** Returns the records of a topic that this router has not read yet. */
  long lag(String topic) {
    return streams.lag(topic);
  }

  DependencyWatch dependencies() {
    return dependencies;
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

  int parkedBulk() {
    return bulkFeeder.parkedRequests();
  }

  /** Returns the failed threads that requests depend on. */
  Set<String> failedThreads() {
    return threads.failed();
  }

  /** Returns the bytes of records that are not in their topics yet. */
  long unwrittenBytes() {
    return writer.bytes();
  }

  Backlog backlog() {
    return backlog;
  }

  EndedLimit endedLimit() {
    return endedLimit;
  }

  Signals signals() {
    return signals;
  }

  DecisionPublisher decisions() {
    return decisions;
  }

  @Override
  public void close() {
    open.close();
  }
}
