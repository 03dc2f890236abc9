package io.sluice.router.schedule;

import io.sluice.common.protocol.Topics;
import io.sluice.fleet.breaker.Breaker;
import io.sluice.fleet.breaker.BreakerEvent;
import io.sluice.fleet.breaker.BreakerState;
import io.sluice.router.TestWorker;
import io.sluice.router.catalog.ModelCatalog;
import io.sluice.router.catalog.ServedModels;
import io.sluice.router.fleet.FleetSnapshot;
import io.sluice.router.fleet.WorkerView;
import io.sluice.router.lease.OutcomeWatermark;
import io.sluice.router.lease.RetryPolicy;
import io.sluice.router.lease.WorkerLiveness;
import io.sluice.router.peers.PeerLeases;
import io.sluice.router.placement.Ledger;
import io.sluice.router.placement.LocalBreakers;
import io.sluice.router.placement.RoutingContext;
import io.sluice.router.policy.Experience;
import io.sluice.router.policy.RoutingPolicy;
import io.sluice.router.policy.Sending;
import io.sluice.router.queue.Backlog;
import io.sluice.router.request.TimePoint;
import io.sluice.router.schedule.task.EndedLimit;
import io.sluice.router.schedule.task.SchedulerParts;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.Random;

/** A router process in virtual time: its clock, its view of the fleet, and its tasks. */
public final class VirtualRouter {
  public static final long START_EPOCH_MILLIS = 1_800_000_000_000L;
  private static final long START_NANOS = -5_000_000_000L;
  private static final Duration TICK = Duration.ofMillis(20);
  private static final Duration HEARTBEAT = Duration.ofMillis(240);

  private final Map<String, TestWorker> workers = new LinkedHashMap<>();
  private final Map<String, Long> heardAtNanos = new HashMap<>();
  private final List<VirtualTask> tasks = new ArrayList<>();
  private final String id;
  private final Random random;
  private final Backlog.Limits limits;
  private final Duration maxWait;
  final List<String> reportedTrips = new ArrayList<>();
  private final Map<String, BreakerState> breakers = new HashMap<>();
  private final List<String> unknownTopics = new ArrayList<>();
  private Duration elapsed = Duration.ZERO;
  private boolean registryThere = true;
  private Duration longestGap = Duration.ZERO;
  private Duration registryAge = Duration.ZERO;
  private Duration modelGrace = Duration.ofDays(365);
  private long endedBytes = Long.MAX_VALUE;

  /** The tasks that have started, as a share of all. */
  double startedShare = 1;

  /** What other routers tell this one. */
  final PeerLeases peerLeases = new PeerLeases();

  /** How often a worker was looked at for a request. */
  int candidates;

  /** What was sent since this was last emptied. */
  final List<Sending> sendings = new ArrayList<>();

  /** What callers have sent outlives every process. */
  final TestBodies bodies = new TestBodies();

  final RecordedEvents events = new RecordedEvents();
  private SchedulerParts parts;

  VirtualRouter() {
    this(1_000);
  }

  VirtualRouter(int backlogLimit) {
    this(backlogLimit, Duration.ofDays(365));
  }

  VirtualRouter(int backlogLimit, Duration maxWait) {
    this("router", Backlog.Limits.ofRequests(backlogLimit), maxWait, 7);
  }

  VirtualRouter(Backlog.Limits limits) {
    this("router", limits, Duration.ofDays(365), 7);
  }

  /** One of several. */
  VirtualRouter(String id, long seed) {
    this(id, Backlog.Limits.ofRequests(1_000), Duration.ofDays(365), seed);
  }

  private VirtualRouter(String id, Backlog.Limits limits, Duration maxWait, long seed) {
    this.id = id;
    this.random = new Random(seed);
    this.limits = limits;
    this.maxWait = maxWait;
    this.parts = newProcess();
  }

  private SchedulerParts newProcess() {
    var routing =
        new RoutingContext(
            RoutingPolicy.standard(),
            new Experience(sendings::add),
            this::fleet,
            new Ledger(id, peerLeases),
            new LocalBreakers(reportedTrips::add),
            new WorkerLiveness(),
            this::partitions,
            random);
    var backlog = new Backlog(limits, maxWait, () -> startedShare);
    return SchedulerParts.builder(routing, bodies, backlog, new RetryPolicy(3))
        .listener(events)
        .served(
            new ServedModels(
                ModelCatalog.parse("configured=8192"),
                modelGrace,
                this::fleet,
                () -> now().nanos()))
        .endedLimit(new EndedLimit(endedBytes))
        .build();
  }

  /** Returns one that refuses what no worker serves. */
  static VirtualRouter withModelGrace(Duration grace) {
    VirtualRouter router = new VirtualRouter();
    router.modelGrace = grace;
    router.parts = router.newProcess();
    return router;
  }

  /** Returns one that remembers no more than so much of requests that are over. */
  static VirtualRouter withEndedLimit(long bytes) {
    VirtualRouter router = new VirtualRouter();
    router.endedBytes = bytes;
    router.parts = router.newProcess();
    return router;
  }

  private OptionalInt partitions(String topic) {
    candidates++;
    int count = topic.startsWith(Topics.REPLIES) ? 8 : 1;
    return unknownTopics.contains(topic) ? OptionalInt.empty() : OptionalInt.of(count);
  }

  /** Returns a task whose settling time after its start is over. */
  VirtualTask settledTask() {
    VirtualTask task = newTask();
    pass(Duration.ofMillis(2_020));
    task.effects.clear();
    return task;
  }

  VirtualTask newTask() {
    return newTask(OutcomeWatermark.AT_ONCE);
  }

  VirtualTask newTask(OutcomeWatermark hearing) {
    VirtualTask task = new VirtualTask(this, hearing);
    tasks.add(task);
    return task;
  }

  /** The process dies and another one takes over all that was stored. */
  void crash() {
    bodies.dropAll();
    parts = newProcess();
    tasks.forEach(VirtualTask::begin);
  }

  SchedulerParts parts() {
    return parts;
  }

  TimePoint now() {
    return new TimePoint(START_EPOCH_MILLIS + elapsed.toMillis(), START_NANOS + elapsed.toNanos());
  }

  long elapsedMillis() {
    return elapsed.toMillis();
  }

  /** A worker makes itself known. */
  TestWorker join(TestWorker worker) {
    workers.put(worker.id(), worker);
    heardAtNanos.put(worker.id(), now().nanos());
    return worker;
  }

  /** A worker signs off. */
  void leave(String worker) {
    workers.remove(worker);
    silent.remove(worker);
  }

  private final List<String> silent = new ArrayList<>();

  /** A worker's heartbeats stop. */
  void silence(String worker) {
    silent.add(worker);
  }

  void wake(String worker) {
    silent.remove(worker);
  }

  void beat(String worker) {
    workers.get(worker).beat();
    heardAtNanos.put(worker, now().nanos());
  }

  /** So irregular all heartbeats have been lately. */
  void longestGap(Duration gap) {
    longestGap = gap;
  }

  /** So long ago the registry was read last, at any time. */
  void registryRead(Duration ago) {
    registryAge = ago;
  }

  void registryAway() {
    registryThere = false;
  }

  void registryBack() {
    registryThere = true;
  }

  /** A worker's breaker changes, and everybody hears of it. */
  void breaker(String worker, BreakerEvent event) {
    BreakerState before = breakers.getOrDefault(worker, BreakerState.NEW);
    breakers.put(worker, Breaker.next(before, event, now().epochMillis()));
  }

  void topicMissing(String topic) {
    unknownTopics.add(topic);
  }

  List<TestWorker> workers() {
    return List.copyOf(workers.values());
  }

  /** Time passes as it does in a healthy process, tick by tick. */
  void pass(Duration duration) {
    pass(duration, TICK);
  }

  void pass(Duration duration, Duration step) {
    Duration end = elapsed.plus(duration);
    while (elapsed.compareTo(end) < 0) {
      Duration before = elapsed;
      elapsed = elapsed.plus(step);
      if (elapsed.toMillis() / HEARTBEAT.toMillis() > before.toMillis() / HEARTBEAT.toMillis()) {
        beatAll();
      }
      tick();
    }
  }

  /** Time passes while this process does not run; the workers go on. */
  void freeze(Duration duration) {
    elapsed = elapsed.plus(duration);
  }

  void tick() {
    tasks.forEach(task -> task.scheduler().tick(now()));
  }

  private void beatAll() {
    if (registryThere) {
      workers.keySet().stream().filter(id -> !silent.contains(id)).forEach(this::beat);
    }
  }

  FleetSnapshot fleet() {
    Map<String, WorkerView> views = new HashMap<>();
    workers.forEach(
        (id, worker) ->
            views.put(
                id,
                new WorkerView(
                    worker.snapshot(),
                    heardAtNanos.get(id),
                    breakers.getOrDefault(id, BreakerState.NEW),
                    longestGap)));
    return new FleetSnapshot(views, registryThere, registryAge);
  }
}
