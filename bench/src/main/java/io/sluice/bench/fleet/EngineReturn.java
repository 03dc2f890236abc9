package io.sluice.bench.fleet;

import io.sluice.bench.fleet.run.EngineNode;
import io.sluice.bench.fleet.run.FleetRequest;
import io.sluice.bench.fleet.run.FleetRun;
import io.sluice.bench.fleet.run.Mix;
import io.sluice.bench.fleet.run.RunResult;
import io.sluice.bench.fleet.run.Workload;
import io.sluice.bench.fleet.sluice.FrontSettings;
import io.sluice.bench.fleet.sluice.SluiceFront;
import io.sluice.bench.fleet.sluice.VirtualWorker;
import io.sluice.bench.trace.Trace;
import io.sluice.simulator.engine.EngineConfig;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * One engine of a fleet is restarted under load; what callers see in the minute after it has
 * answered again depends on how it is let in.
 *
 * @param engines of the fleet
 * @param cold how long an engine takes longer at its first prompt of each length, by powers of two
 */
record EngineReturn(
    Trace trace, EngineConfig engine, int engines, double requestsPerSecond, Duration cold) {
  private static final Duration DRAIN_AT = Duration.ofMinutes(1);
  private static final Duration RESTART_AT = Duration.ofSeconds(90);
  private static final Duration BACK_AT = Duration.ofMinutes(3);
  private static final int WARM_UPS = 20;
  private static final int AT_ONCE = 4;
  private static final int OUTPUT_TOKENS = 16;
  private static final int[] LENGTHS = {43, 171, 683, 2_731};

  /** The traffic of a run: what arrives in the minute after the engine's return is measured. */
  static final Workload.Length LENGTH =
      new Workload.Length(BACK_AT.toNanos(), Duration.ofMinutes(1).toNanos());

  /** How a new engine is let in. */
  enum Entry {
    /** The engine is not restarted. */
    NO_RESTART(Duration.ZERO),
    AT_ONCE(Duration.ZERO),
    RAMP(Duration.ofSeconds(10)),
    LONG_RAMP(Duration.ofSeconds(30)),
    WARM_UP(Duration.ZERO),
    WARM_UP_AND_RAMP(Duration.ofSeconds(10)),
    /** The warm-up sends the prefixes that most callers share. */
    SHARED_PROMPTS(Duration.ZERO),
    SHARED_PROMPTS_AND_RAMP(Duration.ofSeconds(10));

    private final Duration ramp;

    Entry(Duration ramp) {
      this.ramp = ramp;
    }

    private boolean hasWarmUp() {
      return this != NO_RESTART && this != AT_ONCE && this != RAMP && this != LONG_RAMP;
    }

    private boolean hasSharedPrompts() {
      return this == SHARED_PROMPTS || this == SHARED_PROMPTS_AND_RAMP;
    }
  }

  /** Makes one run. Equal seeds give equal arrivals for all ways. */
  RunResult run(Entry entry, long seed) {
    List<FleetRequest> requests = Workload.of(trace, requestsPerSecond, LENGTH, seed);
    FleetRun run = new FleetRun(requests, engine, engines, seed);
    var front = new SluiceFront(run, Mix.of(seed, 7), FrontSettings.STANDARD);
    if (entry != Entry.NO_RESTART) {
      VirtualWorker worker = front.workers().getFirst();
      run.time().at(DRAIN_AT.toNanos(), worker::drain);
      run.time().at(RESTART_AT.toNanos(), () -> worker.restart(cold));
      run.time()
          .at(
              BACK_AT.toNanos(),
              () -> enter(entry, worker, run.engines().getFirst(), prompts(entry, requests, seed)));
    }
    return run.run(front, LENGTH);
  }

  private static void enter(
      Entry entry, VirtualWorker worker, EngineNode engine, List<FleetRequest> prompts) {
    if (!entry.hasWarmUp()) {
      worker.enter(entry.ramp);
      return;
    }
    int[] finished = {0};
    int[] next = {AT_ONCE};
    Runnable whenFinished =
        () -> {
          finished[0]++;
          if (finished[0] == prompts.size()) {
            worker.enter(entry.ramp);
          } else if (next[0] < prompts.size()) {
            engine.warmUp(prompts.get(next[0]++));
          }
        };
    engine.whenWarmed(whenFinished);
    prompts.stream().limit(AT_ONCE).forEach(engine::warmUp);
  }

  private static List<FleetRequest> prompts(Entry entry, List<FleetRequest> requests, long seed) {
    return entry.hasSharedPrompts() ? shared(requests) : generated(seed);
  }

  private static List<FleetRequest> generated(long seed) {
    return IntStream.range(0, WARM_UPS)
        .mapToObj(
            i -> {
              int tokens = LENGTHS[i % LENGTHS.length];
              long[] blocks =
                  IntStream.range(0, Math.ceilDiv(tokens, Trace.BLOCK_TOKENS))
                      .mapToLong(block -> Mix.of(Mix.of(seed, ~i), block))
                      .toArray();
              return prompt(i, tokens, blocks);
            })
        .toList();
  }

  private static List<FleetRequest> shared(List<FleetRequest> requests) {
    Map<Long, Long> callers =
        requests.stream()
            .filter(request -> request.promptTokens() >= Trace.BLOCK_TOKENS)
            .map(request -> request.blocks()[0])
            .collect(Collectors.groupingBy(Function.identity(), Collectors.counting()));
    List<Long> most =
        callers.entrySet().stream()
            .sorted(
                Map.Entry.<Long, Long>comparingByValue()
                    .reversed()
                    .thenComparing(Map.Entry.comparingByKey(Comparator.naturalOrder())))
            .limit(WARM_UPS)
            .map(Map.Entry::getKey)
            .toList();
    return IntStream.range(0, most.size())
        .mapToObj(i -> prompt(i, Trace.BLOCK_TOKENS, new long[] {most.get(i)}))
        .toList();
  }

  /** Negative ids are the warm-up's. */
  private static FleetRequest prompt(int number, int tokens, long[] blocks) {
    return new FleetRequest(-1 - number, 0, tokens, OUTPUT_TOKENS, blocks, blocks[0], false, false);
  }
}
