package io.sluice.router.prefix;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.function.Predicate;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * Which worker is believed to have which prompt blocks in its engine's prefix cache, derived from
 * what was sent there. Each worker is bounded by its engine's memory, least recently used blocks
 * first, and the index by {@value #MAX_WORKERS} workers. All tasks of a process share one;
 * thread-safe.
 */
public final class PrefixIndex implements CachedPrefixes {
  private static final int MAX_WORKERS = 4_096;

  /** For an engine that does not report how many tokens it holds. */
  private static final long ASSUMED_BUDGET_TOKENS = 256_000;

  /**
   * A block of text has some 64 tokens. A first prompt with far fewer would make room for many more
   * blocks than the engine holds, and one with far more for too few.
   */
  private static final int LEAST_TOKENS_PER_BLOCK = 32;

  private static final int MOST_TOKENS_PER_BLOCK = 128;

  /** Eight megabytes of hashes are enough for one worker, whatever it reports. */
  private static final long MAX_BLOCKS = 1 << 20;

  private record Place(int number, String incarnation) {}

  private final Map<String, Place> places = new ConcurrentHashMap<>();
  private final Deque<Integer> free = new ArrayDeque<>();
  private final AtomicReferenceArray<@Nullable String> names =
      new AtomicReferenceArray<>(MAX_WORKERS);
  private volatile List<PrefixShard> shards = List.of();

  @Override
  public Match match(PrefixChain chain) {
    List<PrefixShard> all = shards;
    int[] leading = new int[chain.blocks() == 0 ? 0 : all.size() * PrefixShard.WORKERS];
    for (int shard = 0; leading.length > 0 && shard < all.size(); shard++) {
      all.get(shard).match(chain, leading, shard * PrefixShard.WORKERS);
    }
    return new Found(leading);
  }

  /**
   * A worker was sent a prompt and will have it cached. Another incarnation of the worker starts
   * with an empty cache.
   *
   * @param tokenBudget the number of tokens that its engine holds; 0 if it is not known
   * @return how many leading blocks of the prompt the worker already had
   */
  public int hold(String worker, String incarnation, long tokenBudget, PrefixChain chain) {
    if (chain.blocks() == 0) {
      return 0;
    }
    long tokens = tokenBudget > 0 ? tokenBudget : ASSUMED_BUDGET_TOKENS;
    int tokensPerBlock =
        Math.clamp(chain.tokensPerBlock(), LEAST_TOKENS_PER_BLOCK, MOST_TOKENS_PER_BLOCK);
    int blocks = (int) Math.clamp(tokens / tokensPerBlock, 1, MAX_BLOCKS);
    Place place = place(worker, incarnation);
    return place == null
        ? 0
        : shardOf(place).hold(place.number() % PrefixShard.WORKERS, chain, blocks);
  }

  /** A worker or its engine is gone. */
  public synchronized void forget(String worker) {
    Place place = places.remove(worker);
    if (place != null) {
      shardOf(place).clear(place.number() % PrefixShard.WORKERS);
      free.push(place.number());
    }
  }

  /**
   * Returns the number of blocks in the index. A block that several workers have counts once per 64
   * workers.
   */
  long blocks() {
    return shards.stream().mapToLong(PrefixShard::entries).sum();
  }

  private PrefixShard shardOf(Place place) {
    return shards.get(place.number() / PrefixShard.WORKERS);
  }

  private @Nullable Place place(String worker, String incarnation) {
    Place known = places.get(worker);
    return known != null && known.incarnation().equals(incarnation)
        ? known
        : newPlace(worker, incarnation);
  }

  private synchronized @Nullable Place newPlace(String worker, String incarnation) {
    Place known = places.get(worker);
    if (known != null && known.incarnation().equals(incarnation)) {
      return known;
    }
    forget(worker);
    if (free.isEmpty()) {
      int first = shards.size() * PrefixShard.WORKERS;
      if (first >= MAX_WORKERS) {
        return null;
      }
      List<PrefixShard> more = new ArrayList<>(shards);
      more.add(new PrefixShard());
      shards = List.copyOf(more);
      for (int number = first + PrefixShard.WORKERS - 1; number >= first; number--) {
        free.push(number);
      }
    }
    Place place = new Place(free.pop(), incarnation);
    places.put(worker, place);
    names.set(place.number(), worker);
    return place;
  }

  /** Forgets all workers but these. */
  public void retain(Set<String> workers) {
    for (String worker : places.keySet()) {
      if (!workers.contains(worker)) {
        forget(worker);
      }
    }
  }

  /** The workers' leading blocks, by their numbers. */
  private final class Found implements Match {
    private final int[] leading;

    Found(int[] leading) {
      this.leading = leading;
    }

    @Override
    public int blocks(String worker) {
      Place place = places.get(worker);
      return place == null || place.number() >= leading.length ? 0 : leading[place.number()];
    }

    @Override
    public void forEachHolder(RandomGenerator random, Predicate<String> visitor) {
      new Holders(leading).forEach(random, number -> visit(number, visitor));
    }

    private boolean visit(int number, Predicate<String> visitor) {
      String worker = names.get(number);
      return worker == null || visitor.test(worker);
    }
  }
}
