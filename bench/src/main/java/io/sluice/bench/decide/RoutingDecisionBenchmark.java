package io.sluice.bench.decide;

import io.sluice.bench.fleet.sluice.MemoryBodies;
import io.sluice.common.protocol.Endpoint;
import io.sluice.common.protocol.Priority;
import io.sluice.common.protocol.ReplyAddress;
import io.sluice.fleet.EnginePace;
import io.sluice.fleet.EngineTraits;
import io.sluice.fleet.WorkerSnapshot;
import io.sluice.fleet.WorkerSnapshotBuilder;
import io.sluice.router.classify.Classification;
import io.sluice.router.fleet.FleetSnapshot;
import io.sluice.router.fleet.WorkerView;
import io.sluice.router.lease.WorkerLiveness;
import io.sluice.router.parse.PromptPrefixes;
import io.sluice.router.placement.Ledger;
import io.sluice.router.placement.LocalBreakers;
import io.sluice.router.placement.Placement;
import io.sluice.router.placement.RecentHandBacks;
import io.sluice.router.placement.RoutingContext;
import io.sluice.router.placement.Suspects;
import io.sluice.router.placement.TaskReservations;
import io.sluice.router.policy.Experience;
import io.sluice.router.policy.RequestProfile;
import io.sluice.router.policy.RoutingPolicy;
import io.sluice.router.prefix.PrefixChain;
import io.sluice.router.prefix.PrefixHasher;
import io.sluice.router.request.RequestMetadata;
import io.sluice.router.request.RequestMetadataBuilder;
import io.sluice.router.request.TimePoint;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalDouble;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.Random;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
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
 * Measures a decision for a prompt of 8k tokens (128 blocks) over a fleet that has served
 * conversations with a common system prompt of 20 blocks: the index lookup, the outlook on each
 * worker, and the policy. The hashing of the prompt is not included; it is measured separately.
 */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.SampleTime)
@OutputTimeUnit(TimeUnit.MICROSECONDS)
@Fork(2)
@Warmup(iterations = 3, time = 2)
@Measurement(iterations = 5, time = 2)
public class RoutingDecisionBenchmark {
  private static final int BLOCKS = 128;
  private static final int SYSTEM_BLOCKS = 20;
  private static final int CONVERSATIONS_PER_WORKER = 40;
  private static final long BUDGET_TOKENS = 400_000;
  private static final int REQUESTS = 256;
  private static final TimePoint NOW = new TimePoint(1_800_000_000_000L, 0);

  /** Fleet sizes. */
  @Param({"64", "1000"})
  public int workers;

  private final Experience experience = new Experience();
  private final Ledger ledger = new Ledger("router");
  private final PromptPrefixes prefixes = new PromptPrefixes(new MemoryBodies());
  private final RequestMetadata metadata = metadata();
  private final List<RequestProfile> requests = new ArrayList<>();
  private final String prompt = "The quick brown fox jumps over the lazy dog. ".repeat(728);
  private FleetSnapshot fleet = new FleetSnapshot(Map.of(), true);
  private final Placement placement =
      new Placement(
          new RoutingContext(
              RoutingPolicy.standard(),
              experience,
              () -> fleet,
              ledger,
              new LocalBreakers(worker -> {}),
              new WorkerLiveness(),
              topic -> OptionalInt.of(1),
              new SplittableRandom(1)),
          prefixes,
          new TaskReservations(ledger),
          new RecentHandBacks(),
          new Suspects(ledger.suspects()));
  private int next;

  /** Sends the conversations of every worker. */
  @Setup
  public void warmUpTheIndex() {
    Random conversations = new Random(2);
    Map<String, WorkerView> views = new HashMap<>();
    for (int worker = 0; worker < workers; worker++) {
      WorkerSnapshot snapshot = snapshot(worker, conversations);
      views.put(snapshot.id(), new WorkerView(snapshot, NOW.nanos()));
      for (int sent = 0; sent < CONVERSATIONS_PER_WORKER; sent++) {
        RequestProfile request = metadata.profile().beginningWith(prefix(conversations));
        Experience.View view = experience.of(request, NOW.nanos());
        experience.sent(request, snapshot, view.outlook(snapshot, 0, 0), NOW.nanos()).ended();
        if (requests.size() < REQUESTS || conversations.nextInt(8) == 0) {
          requests.add(request);
        }
      }
    }
    fleet = new FleetSnapshot(views, true);
  }

  /** Returns the whole decision, as the scheduler requests it. */
  @Benchmark
  public boolean decide() {
    prefixes.put(metadata.requestId(), requests.get(next++ % requests.size()).prefix());
    return placement.isServable(metadata, NOW);
  }

  /** Returns the index lookup alone. */
  @Benchmark
  public Experience.View match() {
    return experience.of(requests.get(next++ % requests.size()), NOW.nanos());
  }

  /** Hashing 32 KB of text, about 8k tokens. */
  @Benchmark
  public PrefixChain hash() {
    return new PrefixHasher().text(prompt).chain(8_192);
  }

  private static PrefixChain prefix(Random conversations) {
    long[] hashes = new long[BLOCKS];
    for (int block = 0; block < BLOCKS; block++) {
      hashes[block] = block < SYSTEM_BLOCKS ? 0x1234567L * (block + 1) : conversations.nextLong();
    }
    return new PrefixChain(hashes, 64);
  }

  private static RequestMetadata metadata() {
    return RequestMetadataBuilder.builder()
        .requestId("request")
        .requestPartition(0)
        .source(new RequestMetadata.Source("requests", 0, 0))
        .replyTo(new ReplyAddress("replies", 0))
        .endpoint(Endpoint.CHAT_COMPLETIONS)
        .model("llama")
        .lane("32k")
        .promptTokens(BLOCKS * 64L + 40)
        .outputTokens(512)
        .classification(Classification.NONE)
        .priority(Priority.INTERACTIVE)
        .tenant("default")
        .appendTimeMillis(NOW.epochMillis())
        .deadlineEpochMillis(Long.MAX_VALUE / 2)
        .firstTokenByMillis(OptionalLong.empty())
        .fresh(true)
        .estimatedTokens(BLOCKS * 64)
        .build();
  }

  private static WorkerSnapshot snapshot(int worker, Random state) {
    return WorkerSnapshotBuilder.builder()
        .id("gpu-" + worker)
        .incarnation("first")
        .sequence(1)
        .models(List.of("llama"))
        .cards(Map.of())
        .lanes(List.of())
        .maxModelLen(131_072)
        .tokenBudget(BUDGET_TOKENS)
        .tokensInUse(state.nextInt(200_000))
        .kvUsage(OptionalDouble.of(state.nextDouble() * 0.8))
        .running(state.nextInt(40))
        .waiting(0)
        .slots(64)
        .held(Map.of("router", state.nextInt(40)))
        .draining(false)
        .engineUp(true)
        .pace(new EnginePace(20_000, 15, state.nextInt(20_000)))
        .traits(EngineTraits.NONE)
        .version("bench")
        .build();
  }
}
