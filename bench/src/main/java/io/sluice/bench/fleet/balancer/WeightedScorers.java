package io.sluice.bench.fleet.balancer;

import io.sluice.bench.fleet.run.FleetRequest;
import io.sluice.bench.fleet.run.Mix;
import io.sluice.simulator.engine.EngineStats;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.function.IntPredicate;

/**
 * A weighted sum of scores, as the endpoint picker of llm-d and of the Gateway API inference
 * extension computes it, with the weights and settings that these ship: queue depth {@value
 * #QUEUE_WEIGHT}, KV-cache usage {@value #KV_WEIGHT}, approximate prefix {@value #PREFIX_WEIGHT};
 * the engine with the highest sum is chosen, at random if several are equal.
 *
 * <ul>
 *   <li>queue: 1 for the shortest waiting queue, 0 for the longest, 1 for all if they are equal;
 *   <li>KV: 1 - usage; both from metrics that are read every {@value #SCRAPE_MILLIS} ms;
 *   <li>prefix: the share of the prompt's blocks, at most {@value #MOST_BLOCKS} of 16 tokens, that
 *       was sent to the engine before and is not yet forgotten, the least recently used blocks
 *       first, as many as the engine has KV blocks. What was sent to an engine that failed since
 *       still counts: its pod keeps its name.
 * </ul>
 *
 * <p>Here blocks are those of the requests, which may each stand for several blocks of the engine.
 */
public final class WeightedScorers implements Balancer {
  private static final double QUEUE_WEIGHT = 2;
  private static final double KV_WEIGHT = 2;
  private static final double PREFIX_WEIGHT = 3;
  private static final int SCRAPE_MILLIS = 50;
  private static final int MOST_BLOCKS = 256;
  private static final int BLOCK_TOKENS = 16;

  /** How many of these one block of the requests stands for. */
  private final int perBlock;

  private final int[] waiting;
  private final double[] kvUsage;
  private final List<Seen> seen = new ArrayList<>();
  private final SplittableRandom random;

  /** Chained block hashes that were sent to one engine, the most recent last. */
  private static final class Seen extends LinkedHashMap<Long, Boolean> {
    private static final long serialVersionUID = 1L;
    private final int capacity;

    Seen(int capacity) {
      super(16, 0.75f, true);
      this.capacity = capacity;
    }

    @Override
    protected boolean removeEldestEntry(Map.Entry<Long, Boolean> eldest) {
      return size() > capacity;
    }
  }

  /**
   * Scorers that know nothing yet.
   *
   * @param kvBlocks how many KV blocks each of the engines has
   * @param blockTokens how many tokens a block of the requests has
   */
  public WeightedScorers(List<Integer> kvBlocks, int blockTokens, long seed) {
    this.perBlock = Math.max(1, blockTokens / BLOCK_TOKENS);
    this.waiting = new int[kvBlocks.size()];
    this.kvUsage = new double[kvBlocks.size()];
    this.random = new SplittableRandom(seed);
    for (int blocks : kvBlocks) {
      seen.add(new Seen(Math.max(1, blocks / perBlock)));
    }
  }

  @Override
  public long scrapeNanos() {
    return SCRAPE_MILLIS * 1_000_000L;
  }

  @Override
  public void scraped(int engine, EngineStats stats) {
    waiting[engine] = stats.waiting();
    kvUsage[engine] = stats.kvUsage();
  }

  @Override
  public Choice pick(FleetRequest request, IntPredicate usable) {
    long[] chain = chain(request);
    int shortest = Integer.MAX_VALUE;
    int longest = 0;
    for (int i = 0; i < waiting.length; i++) {
      if (usable.test(i)) {
        shortest = Math.min(shortest, waiting[i]);
        longest = Math.max(longest, waiting[i]);
      }
    }
    int best = 0;
    double bestScore = -1;
    int equal = 0;
    for (int i = 0; i < waiting.length; i++) {
      if (!usable.test(i)) {
        continue;
      }
      double queue =
          longest == shortest ? 1 : (double) (longest - waiting[i]) / (longest - shortest);
      double score =
          QUEUE_WEIGHT * queue
              + KV_WEIGHT * (1 - kvUsage[i])
              + PREFIX_WEIGHT * matched(seen.get(i), chain);
      equal = score == bestScore ? equal + 1 : 1;
      if (score > bestScore || (score == bestScore && random.nextInt(equal) == 0)) {
        best = i;
        bestScore = score;
      }
    }
    for (long hash : chain) {
      seen.get(best).put(hash, true);
    }
    return Choice.send(best);
  }

  private static double matched(Seen seen, long[] chain) {
    int found = 0;
    while (found < chain.length && seen.containsKey(chain[found])) {
      found++;
    }
    return chain.length == 0 ? 0 : (double) found / chain.length;
  }

  private long[] chain(FleetRequest request) {
    int most = MOST_BLOCKS / perBlock;
    long[] chain = new long[Math.min(most, request.blocks().length)];
    long hash = 0;
    for (int i = 0; i < chain.length; i++) {
      hash = Mix.of(hash, request.blocks()[i]);
      chain[i] = hash;
    }
    return chain;
  }
}
