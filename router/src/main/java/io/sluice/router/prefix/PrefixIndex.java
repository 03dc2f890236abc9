package io.sluice.router.prefix;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * Which worker is believed to hold which blocks of prompts in its engine's prefix cache, from what
 * was sent there. Bounded: each worker by what its engine's memory takes, least recently used
 * blocks first, and {@value #MAX_WORKERS} workers. Thread-safe; one for all tasks of a process.
 */
public final class PrefixIndex {
  private static final int MAX_WORKERS = 4_096;

  /** Of an engine that does not say how many tokens it holds. */
  private static final long ASSUMED_BUDGET_TOKENS = 256_000;

  /** Eight megabytes of hashes for one worker are enough, whatever it says. */
  private static final long MAX_BLOCKS = 1 << 20;

  private record Place(int number, String incarnation) {}

  private final Map<String, Place> places = new ConcurrentHashMap<>();
  private final Deque<Integer> free = new ArrayDeque<>();
  private volatile List<PrefixShard> shards = List.of();

  /** How many leading blocks of one prompt each worker holds. */
  public final class Match {
    private final int[] leading;

    private Match(int[] leading) {
      this.leading = leading;
    }

    /** 0 for a worker that is not known. */
    public int blocks(String worker) {
      Place place = places.get(worker);
      return place == null || place.number() >= leading.length ? 0 : leading[place.number()];
    }
  }

  /** Looks a prompt up, for all workers at once. */
  public Match match(PrefixChain chain) {
    List<PrefixShard> all = shards;
    int[] leading = new int[chain.blocks() == 0 ? 0 : all.size() * PrefixShard.WORKERS];
    for (int shard = 0; leading.length > 0 && shard < all.size(); shard++) {
      all.get(shard).match(chain, leading, shard * PrefixShard.WORKERS);
    }
    return new Match(leading);
  }

  /**
   * A worker was sent a prompt and will hold it. Another incarnation of it held nothing before.
   *
   * @param tokenBudget how many tokens its engine holds; 0 if that is not known
   * @return how many leading blocks of it the worker held before
   */
  public int hold(String worker, String incarnation, long tokenBudget, PrefixChain chain) {
    if (chain.blocks() == 0) {
      return 0;
    }
    long tokens = tokenBudget > 0 ? tokenBudget : ASSUMED_BUDGET_TOKENS;
    int blocks = (int) Math.clamp(tokens / chain.tokensPerBlock(), 1, MAX_BLOCKS);
    Place place = place(worker, incarnation);
    return place == null
        ? 0
        : shardOf(place).hold(place.number() % PrefixShard.WORKERS, chain, blocks);
  }

  /** A worker is gone, or its engine is. */
  public synchronized void forget(String worker) {
    Place place = places.remove(worker);
    if (place != null) {
      shardOf(place).clear(place.number() % PrefixShard.WORKERS);
      free.push(place.number());
    }
  }

  /** How many blocks are in the index; one that several workers hold counts once per 64 workers. */
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
}
