package io.sluice.bench.decide;

import io.sluice.bench.fleet.sluice.MemoryBodies;
import io.sluice.bench.fleet.sluice.MemoryStore;
import io.sluice.common.protocol.Amendment;
import io.sluice.common.protocol.Assignment;
import io.sluice.common.protocol.Endpoint;
import io.sluice.common.protocol.LeaseRef;
import io.sluice.common.protocol.Outcome;
import io.sluice.common.protocol.Priority;
import io.sluice.common.protocol.ReplyAddress;
import io.sluice.common.reply.ReplyPointer;
import io.sluice.fleet.EnginePace;
import io.sluice.fleet.EngineTraits;
import io.sluice.fleet.WorkerSnapshot;
import io.sluice.fleet.WorkerSnapshotBuilder;
import io.sluice.router.classify.Classification;
import io.sluice.router.fleet.FleetSnapshot;
import io.sluice.router.fleet.WorkerView;
import io.sluice.router.lease.OutcomeWatermark;
import io.sluice.router.lease.RetryPolicy;
import io.sluice.router.lease.WorkerLiveness;
import io.sluice.router.parse.ParsedRequest;
import io.sluice.router.placement.Ledger;
import io.sluice.router.placement.LocalBreakers;
import io.sluice.router.placement.RoutingContext;
import io.sluice.router.policy.Experience;
import io.sluice.router.policy.RoutingPolicy;
import io.sluice.router.prefix.PrefixChain;
import io.sluice.router.queue.Backlog;
import io.sluice.router.request.EndRecord;
import io.sluice.router.request.RequestBody;
import io.sluice.router.request.RequestMetadata;
import io.sluice.router.request.RequestMetadataBuilder;
import io.sluice.router.request.RequestState;
import io.sluice.router.request.TimePoint;
import io.sluice.router.request.TrackedRequest;
import io.sluice.router.request.UnreadableRequest;
import io.sluice.router.schedule.Scheduler;
import io.sluice.router.schedule.task.Effects;
import io.sluice.router.schedule.task.SchedulerParts;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalDouble;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;

/**
 * Measures what one progress report costs a scheduler while some groups of requests wait for a
 * fleet of 1,000 workers that are all full. The reports of 100,000 streams, 50,000 a second, are
 * replayed with the ticks every 20 ms and the workers' heartbeats that fall between them. Reading
 * and parsing the record of a report is not measured.
 */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Fork(1)
@Warmup(iterations = 3, time = 2)
@Measurement(iterations = 5, time = 2)
public class ReportBenchmark {
  private static final int WORKERS = 1_000;
  private static final int REPORTS_PER_SECOND = 50_000;
  private static final int REPORTS_PER_TICK = REPORTS_PER_SECOND / 50;
  private static final int HEARTBEATS_PER_TICK = 4 * WORKERS / 50;
  private static final long EPOCH_MILLIS = 1_800_000_000_000L;

  /** How many groups of requests wait. */
  @Param({"0", "1", "4", "16"})
  public int groups;

  private final List<LeaseRef> leases = new ArrayList<>();
  private final Map<String, WorkerView> views = new HashMap<>();
  private FleetSnapshot fleet = new FleetSnapshot(Map.of(), true);
  private Scheduler scheduler = newScheduler();
  private long nanos;
  private int reports;
  private int beats;

  /** Fills the fleet and adds the requests that wait. */
  @Setup
  public void fill() {
    for (int worker = 0; worker < WORKERS; worker++) {
      beat(worker, 0);
    }
    fleet = new FleetSnapshot(views, true);
    for (int request = 0; request < WORKERS; request++) {
      request("running-" + request, "2k");
    }
    for (int group = 0; group < groups; group++) {
      request("waiting-" + group, "lane-" + group);
    }
    if (leases.size() != WORKERS) {
      throw new IllegalStateException("The fleet is not full, but has " + leases.size());
    }
  }

  /** One report, and a tick after every thousand reports. */
  @Benchmark
  public void progress() {
    nanos += TimeUnit.SECONDS.toNanos(1) / REPORTS_PER_SECOND;
    LeaseRef lease = leases.get(reports++ % WORKERS);
    scheduler.outcome(new Outcome(lease, new Outcome.Progress(reports)), now());
    if (reports % REPORTS_PER_TICK == 0) {
      for (int i = 0; i < HEARTBEATS_PER_TICK; i++) {
        beat(beats % WORKERS, ++beats);
      }
      fleet = new FleetSnapshot(views, true);
      scheduler.tick(now());
    }
  }

  private void beat(int worker, int sequence) {
    views.put("gpu-" + worker, new WorkerView(snapshot(worker, sequence), nanos));
  }

  private TimePoint now() {
    return new TimePoint(EPOCH_MILLIS + nanos / 1_000_000, nanos);
  }

  private void request(String id, String lane) {
    var metadata =
        RequestMetadataBuilder.builder()
            .requestId(id)
            .requestPartition(0)
            .source(new RequestMetadata.Source("requests", 0, id.hashCode()))
            .replyTo(new ReplyAddress("replies", 0))
            .endpoint(Endpoint.CHAT_COMPLETIONS)
            .model("llama")
            .lane(lane)
            .promptTokens(500)
            .outputTokens(100)
            .classification(Classification.NONE)
            .priority(Priority.INTERACTIVE)
            .tenant("default")
            .appendTimeMillis(EPOCH_MILLIS)
            .deadlineEpochMillis(Long.MAX_VALUE / 2)
            .firstTokenByMillis(OptionalLong.empty())
            .fresh(true)
            .estimatedTokens(500)
            .build();
    scheduler.request(
        new ParsedRequest.Accepted(metadata, PrefixChain.NONE),
        new RequestBody(new RecordHeaders(), new byte[0]),
        now());
  }

  private Scheduler newScheduler() {
    var parts =
        SchedulerParts.builder(
                new RoutingContext(
                    RoutingPolicy.standard(),
                    new Experience(),
                    () -> fleet,
                    new Ledger("router"),
                    new LocalBreakers(worker -> {}),
                    new WorkerLiveness(),
                    topic -> OptionalInt.of(1),
                    new Random(1)),
                new MemoryBodies(),
                new Backlog(Backlog.Limits.ofRequests(100_000)),
                new RetryPolicy(3))
            .build();
    return new Scheduler(
        0, new MemoryStore(), new Assignments(), parts, OutcomeWatermark.AT_ONCE, now());
  }

  private static WorkerSnapshot snapshot(int worker, int sequence) {
    return WorkerSnapshotBuilder.builder()
        .id("gpu-" + worker)
        .incarnation("first")
        .sequence(sequence)
        .models(List.of("llama"))
        .cards(Map.of())
        .lanes(List.of())
        .maxModelLen(131_072)
        .tokenBudget(400_000)
        .tokensInUse(100_000)
        .kvUsage(OptionalDouble.of(0.5))
        .running(1)
        .waiting(0)
        .slots(1)
        .held(Map.of("router", 1))
        .draining(false)
        .engineUp(true)
        .pace(new EnginePace(20_000, 15, 0))
        .traits(EngineTraits.NONE)
        .version("bench")
        .build();
  }

  /** Records which request was sent to which worker. */
  private final class Assignments implements Effects {
    @Override
    public void assign(Assignment assignment, RequestBody body) {
      leases.add(assignment.lease());
    }

    @Override
    public void amend(Amendment amendment) {}

    @Override
    public void revoke(LeaseRef lease) {}

    @Override
    public void end(
        TrackedRequest tracked,
        RequestState.Ending ending,
        EndRecord record,
        CompletableFuture<RequestBody> body) {}

    @Override
    public void pointer(String requestId, ReplyAddress sender, ReplyPointer answer) {}

    @Override
    public void idInUse(RequestMetadata refused, String message, RequestBody body) {}

    @Override
    public void unreadable(List<UnreadableRequest> found) {}
  }
}
