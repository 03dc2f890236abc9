package io.sluice.bench.fleet.sluice;

import io.sluice.bench.fleet.run.FleetRequest;
import io.sluice.bench.fleet.run.FleetRun;
import io.sluice.bench.fleet.run.Network;
import io.sluice.common.protocol.Amendment;
import io.sluice.common.protocol.Assignment;
import io.sluice.common.protocol.Control;
import io.sluice.common.protocol.LeaseRef;
import io.sluice.common.protocol.Outcome;
import io.sluice.common.protocol.ReplyAddress;
import io.sluice.common.reply.ReplyPointer;
import io.sluice.router.bulk.BulkAllowance;
import io.sluice.router.demand.DemandMeter;
import io.sluice.router.fleet.FleetSnapshot;
import io.sluice.router.lease.OutcomeWatermark;
import io.sluice.router.lease.RetryPolicy;
import io.sluice.router.lease.WorkerLiveness;
import io.sluice.router.parse.ParsedRequest;
import io.sluice.router.placement.Ledger;
import io.sluice.router.placement.LocalBreakers;
import io.sluice.router.placement.RoutingContext;
import io.sluice.router.policy.Experience;
import io.sluice.router.queue.Backlog;
import io.sluice.router.request.EndRecord;
import io.sluice.router.request.RequestBody;
import io.sluice.router.request.RequestMetadata;
import io.sluice.router.request.RequestState;
import io.sluice.router.request.TimePoint;
import io.sluice.router.request.TrackedRequest;
import io.sluice.router.request.UnreadableRequest;
import io.sluice.router.schedule.Scheduler;
import io.sluice.router.schedule.task.Effects;
import io.sluice.router.schedule.task.SchedulerParts;
import io.sluice.simulator.engine.LiveSequence;
import java.time.Duration;
import java.util.List;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import org.apache.kafka.common.header.internals.RecordHeaders;

/**
 * Sluice in virtual time: the router's own scheduler and policy, as one task, over {@linkplain
 * VirtualWorker workers} that report as real ones do.
 */
public final class SluiceFront implements FleetRun.Front {
  static final String MODEL = "model";
  static final String ROUTER = "router";

  private static final Duration TICK = Duration.ofMillis(20);

  /** How often the bulk feeder checks its allowance. */
  private static final Duration FEED = Duration.ofMillis(50);

  private static final int MAX_PENDING = 100_000;

  private static final int MAX_FAILURES = 3;

  private final FleetRun run;
  private final RequestView requests;
  private final List<WorkerRole> roles;
  private final PrefixSource prefixes;
  private final VirtualWorkers workers;
  private final WrittenAnswers answers = new WrittenAnswers();
  private final RegisteredWorkers registry;
  private final Network.Channel requestTopic;
  private final Scheduler scheduler;
  private final BulkFlow bulk;
  private final Backlog backlog;
  private final Ledger ledger = new Ledger(ROUTER);

  /** Creates a router for the engines that are there. */
  public SluiceFront(FleetRun run, long seed, FrontSettings settings) {
    this.run = run;
    this.prefixes = settings.knowledge().of(run);
    this.requests = settings.requests();
    this.roles = settings.roles();
    this.requestTopic = run.network().channel();
    Experience experience = prefixes.experience();
    this.workers = new VirtualWorkers(run);
    this.registry = new RegisteredWorkers(experience::engineDown);
    for (int i = 0; i < run.engines().size(); i++) {
      var _ = join(i);
    }
    this.backlog = new Backlog(Backlog.Limits.ofRequests(MAX_PENDING), settings.maxWait(), () -> 1);
    var allowance = new BulkAllowance(this::fleet, ledger, backlog, () -> 1, run.time()::nowNanos);
    this.bulk = new BulkFlow(allowance, id -> append(run.request(id)));
    SchedulerParts parts =
        SchedulerParts.builder(
                new RoutingContext(
                    settings.policy(),
                    experience,
                    this::fleet,
                    ledger,
                    new LocalBreakers(worker -> {}),
                    new WorkerLiveness(),
                    topic -> OptionalInt.of(1),
                    new Random(seed)),
                new MemoryBodies(),
                backlog,
                new RetryPolicy(MAX_FAILURES))
            .listener(settings.listener())
            .build();
    this.scheduler =
        new Scheduler(0, new MemoryStore(), new Wires(), parts, OutcomeWatermark.AT_ONCE, now());
    scheduler.recover(now());
    run.time().every(TICK.toNanos(), TICK.toNanos(), () -> scheduler.tick(now()));
    run.time().every(FEED.toNanos(), FEED.toNanos(), () -> bulk.feed(now().epochMillis()));
  }

  @Override
  public void send(FleetRequest request) {
    if (request.bulk()) {
      bulk.add(metadata(request));
    } else {
      append(request);
    }
  }

  /** A worker for an engine makes itself known. Engines get their workers in order. */
  public VirtualWorker join(int engine) {
    VirtualWorker worker = new VirtualWorker(engine, role(engine), run, this);
    workers.add(worker);
    return worker;
  }

  private WorkerRole role(int engine) {
    return roles.isEmpty() ? WorkerRole.STANDARD : roles.get(engine % roles.size());
  }

  /** Returns how long the router takes a prompt to be, in tokens. */
  long promptTokens(FleetRequest request) {
    return requests.promptTokens(request);
  }

  /** Returns the workers that were there at the start, and those that have joined since. */
  public List<VirtualWorker> workers() {
    return workers.all();
  }

  /** Returns what is known from the registry of the workers. */
  RegisteredWorkers registry() {
    return registry;
  }

  /** Returns what the reply log has of answers that continue elsewhere. */
  WrittenAnswers answers() {
    return answers;
  }

  /** Returns the bulk requests and their results. */
  public BulkFlow bulk() {
    return bulk;
  }

  /** Returns what the router reads of a request; bulk keeps its time in the bulk topic. */
  private RequestMetadata metadata(FleetRequest request) {
    return requests.metadata(
        request, request.bulk() ? request.arrivalNanos() : run.time().nowNanos());
  }

  /** Bulk whose slack has ended enters as interactive, as the router's own feeder sends it. */
  private void append(FleetRequest request) {
    RequestMetadata read = metadata(request);
    RequestMetadata metadata = read.isDeadlineCritical(now()) ? read.promoted() : read;
    requestTopic.send(
        () ->
            scheduler.request(
                new ParsedRequest.Accepted(metadata, prefixes.arrived(request)),
                new RequestBody(new RecordHeaders(), new byte[0]),
                now()));
  }

  @Override
  public void started(int engine, int request, int cachedTokens) {
    workers.of(engine).started(request, cachedTokens);
  }

  @Override
  public void token(int engine, LiveSequence sequence, long endNanos) {
    if (run.request((int) sequence.request().id()).bulk()) {
      bulk.token();
    }
    workers.of(engine).token(sequence, endNanos);
  }

  @Override
  public void finished(int engine, int request) {
    workers.of(engine).finished(request);
  }

  @Override
  public void givenUp(int request) {
    Control cancel = new Control.Cancel(Integer.toString(request));
    requestTopic.send(() -> scheduler.control(cancel, OptionalLong.empty(), now()));
  }

  @Override
  public void failed(int engine, List<Integer> requests) {
    workers.engineFailed(engine);
  }

  @Override
  public void cameBack(int engine) {
    workers.engineCameBack(engine);
  }

  /** Handles a worker's report. */
  void outcome(LeaseRef lease, Outcome.Event event) {
    if (!(event instanceof Outcome.Accepted || event instanceof Outcome.Progress)) {
      prefixes.settled(lease);
    }
    scheduler.outcome(new Outcome(lease, event), now());
  }

  /** Returns the prompt and expected output tokens of all waiting and running requests. */
  public long openTokens() {
    long now = now().epochMillis();
    return Stream.of(backlog.demand(), ledger.running())
        .flatMap(meter -> meter.sums(now).values().stream())
        .mapToLong(DemandMeter.Sum::tokens)
        .sum();
  }

  /** Returns what the workers have reported. */
  public FleetSnapshot fleet() {
    return registry.fleet();
  }

  private TimePoint now() {
    long nanos = run.time().nowNanos();
    return new TimePoint(RequestView.epochMillis(nanos), nanos);
  }

  /** Sends the scheduler's messages over the network. */
  private final class Wires implements Effects {
    @Override
    public void assign(Assignment assignment, RequestBody body) {
      LeaseRef lease = assignment.lease();
      VirtualWorker worker = workers.of(lease);
      FleetRequest request = run.request(Integer.parseInt(lease.requestId()));
      prefixes.sent(lease, request);
      worker.topic().send(() -> worker.assigned(assignment, request));
    }

    /** The traces' requests are never changed. */
    @Override
    public void amend(Amendment amendment) {}

    @Override
    public void revoke(LeaseRef lease) {
      prefixes.settled(lease);
      VirtualWorker worker = workers.of(lease);
      worker.topic().send(() -> worker.revoked(lease));
    }

    @Override
    public void end(
        TrackedRequest tracked,
        RequestState.Ending ending,
        EndRecord record,
        CompletableFuture<RequestBody> body) {
      int request = Integer.parseInt(tracked.requestId());
      if (answers.hasEndedAttempt(request)) {
        run.scorecard().lost(request);
      } else {
        run.scorecard().refused(request);
      }
      run.time()
          .at(
              run.time().nowNanos() + run.network().latencyNanos(),
              () -> scheduler.endWritten(tracked.requestId(), record, now()));
    }

    @Override
    public void pointer(String requestId, ReplyAddress sender, ReplyPointer answer) {}

    @Override
    public void idInUse(RequestMetadata refused, String message, RequestBody body) {}

    @Override
    public void unreadable(List<UnreadableRequest> found) {}
  }
}
