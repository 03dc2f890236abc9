package io.sluice.bench.decide;

import io.sluice.common.protocol.Priority;
import io.sluice.fleet.EnginePace;
import io.sluice.fleet.EngineTraits;
import io.sluice.fleet.WorkerSnapshot;
import io.sluice.fleet.WorkerSnapshotBuilder;
import io.sluice.fleet.breaker.BreakerPhase;
import io.sluice.router.policy.Candidate;
import io.sluice.router.policy.Decision;
import io.sluice.router.policy.Experience;
import io.sluice.router.policy.RequestProfile;
import io.sluice.router.policy.RoutingPolicy;
import io.sluice.router.prefix.PrefixChain;
import io.sluice.router.prefix.PrefixHasher;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.Random;
import java.util.Set;
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

  /** Fleet sizes. */
  @Param({"64", "1000"})
  public int workers;

  private final RoutingPolicy policy = RoutingPolicy.standard();
  private final Experience experience = new Experience();
  private final SplittableRandom random = new SplittableRandom(1);
  private final List<WorkerSnapshot> fleet = new ArrayList<>();
  private final List<RequestProfile> requests = new ArrayList<>();
  private final String prompt = "The quick brown fox jumps over the lazy dog. ".repeat(728);
  private int next;

  /** Sends the conversations of every worker. */
  @Setup
  public void warmUpTheIndex() {
    Random conversations = new Random(2);
    for (int worker = 0; worker < workers; worker++) {
      WorkerSnapshot snapshot = snapshot(worker, conversations);
      fleet.add(snapshot);
      for (int sent = 0; sent < CONVERSATIONS_PER_WORKER; sent++) {
        RequestProfile request = request(conversations);
        Experience.View view = experience.of(request, 0);
        experience.sent(request, snapshot, view.outlook(snapshot, 0, 0), 0).ended();
        if (requests.size() < REQUESTS || conversations.nextInt(8) == 0) {
          requests.add(request);
        }
      }
    }
  }

  /** The whole decision, as the scheduler requests it. */
  @Benchmark
  public Decision decide() {
    RequestProfile request = requests.get(next++ % requests.size());
    Experience.View view = experience.of(request, 0);
    List<Candidate> candidates = new ArrayList<>(fleet.size());
    for (WorkerSnapshot worker : fleet) {
      int leases = worker.heldInAll();
      candidates.add(
          new Candidate(
              worker,
              leases,
              0,
              false,
              true,
              false,
              false,
              view.outlook(worker, 0, 0),
              BreakerPhase.CLOSED));
    }
    return policy.decide(request, candidates, random);
  }

  /** The index lookup alone. */
  @Benchmark
  public Experience.View match() {
    return experience.of(requests.get(next++ % requests.size()), 0);
  }

  /** Hashing 32 KB of text, about 8k tokens. */
  @Benchmark
  public PrefixChain hash() {
    return new PrefixHasher().text(prompt).chain(8_192);
  }

  private static RequestProfile request(Random conversations) {
    long[] hashes = new long[BLOCKS];
    for (int block = 0; block < BLOCKS; block++) {
      hashes[block] = block < SYSTEM_BLOCKS ? 0x1234567L * (block + 1) : conversations.nextLong();
    }
    return new RequestProfile(
        "llama",
        "32k",
        BLOCKS * 64L + 40,
        512,
        List.of(),
        Priority.INTERACTIVE,
        Set.of(),
        Optional.empty(),
        new PrefixChain(hashes, 64));
  }

  private static WorkerSnapshot snapshot(int worker, Random state) {
    return WorkerSnapshotBuilder.builder()
        .id("gpu-" + worker)
        .incarnation("first")
        .sequence(1)
        .models(List.of("llama"))
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
