package io.sluice.bench.fleet.balancer;

import io.sluice.bench.fleet.run.EngineNode;
import io.sluice.bench.fleet.run.FleetRequest;
import io.sluice.simulator.engine.BlockHashes;
import io.sluice.simulator.engine.LiveSequence;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.SplittableRandom;
import java.util.function.IntPredicate;

/**
 * The cost function of Dynamo's KV router with its defaults: the engine with the fewest blocks to
 * prefill plus active blocks, at random if several are equal (a temperature of 0). Blocks to
 * prefill are those of requests without a first token, this one included, less what is cached; it
 * hears at once of every change of the caches. Active are the blocks of the prompts in flight, this
 * one included; those that prompts share count once.
 */
public final class KvRouter implements Balancer {

  /** A request in flight. */
  private record Active(long[] hashes, double prefillBlocks) {}

  private final List<EngineNode> engines;
  private final List<Map<Long, Integer>> blocks = new ArrayList<>();
  private final double[] prefillBlocks;
  private final Map<Integer, Active> active = new HashMap<>();
  private final SplittableRandom random;

  public KvRouter(List<EngineNode> engines, long seed) {
    this.engines = engines;
    this.prefillBlocks = new double[engines.size()];
    this.random = new SplittableRandom(seed);
    engines.forEach(engine -> blocks.add(new HashMap<>()));
  }

  @Override
  public Choice pick(FleetRequest request, IntPredicate usable) {
    int blockTokens = engines.getFirst().config().blockTokens();
    long[] hashes = BlockHashes.of(request.toSequence(), blockTokens);
    int best = 0;
    double bestCost = Double.MAX_VALUE;
    double bestPrefill = 0;
    int equal = 0;
    for (int i = 0; i < engines.size(); i++) {
      if (!usable.test(i)) {
        continue;
      }
      int uncached = request.promptTokens() - engines.get(i).cachedTokens(hashes);
      double prefill = (double) uncached / blockTokens;
      double cost = prefillBlocks[i] + prefill + blocks.get(i).size() + added(i, hashes);
      equal = cost == bestCost ? equal + 1 : 1;
      if (cost < bestCost || (cost == bestCost && random.nextInt(equal) == 0)) {
        best = i;
        bestCost = cost;
        bestPrefill = prefill;
      }
    }
    active.put(request.id(), new Active(hashes, bestPrefill));
    prefillBlocks[best] += bestPrefill;
    count(best, hashes, 1);
    return Choice.send(best);
  }

  /** A block is in flight only with all blocks before it. */
  private int added(int engine, long[] hashes) {
    Map<Long, Integer> inFlight = blocks.get(engine);
    int known = 0;
    while (known < hashes.length && inFlight.containsKey(hashes[known])) {
      known++;
    }
    return hashes.length - known;
  }

  private void count(int engine, long[] hashes, int by) {
    for (long hash : hashes) {
      blocks.get(engine).merge(hash, by, (known, more) -> known + more == 0 ? null : known + more);
    }
  }

  @Override
  public void token(int engine, LiveSequence sequence) {
    if (sequence.outputTokens() == 1) {
      prefillEnded(engine, (int) sequence.request().id());
    }
  }

  private void prefillEnded(int engine, int request) {
    Active known = Objects.requireNonNull(active.get(request));
    prefillBlocks[engine] -= known.prefillBlocks();
    active.put(request, new Active(known.hashes(), 0));
  }

  @Override
  public void ended(int engine, FleetRequest request) {
    prefillEnded(engine, request.id());
    count(engine, Objects.requireNonNull(active.remove(request.id())).hashes(), -1);
  }
}
