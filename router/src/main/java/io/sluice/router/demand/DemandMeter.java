package io.sluice.router.demand;

import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;

/**
 * Counts requests and their tokens, prompt and expected output together, by {@link DemandKey} and
 * deadline. Callers choose the models, so a key without requests is forgotten. Thread-safe.
 */
public final class DemandMeter {
  /** Requests with less time than this count as if they had it, or one of them would be a peak. */
  private static final long LEAST_MILLIS = Duration.ofMinutes(1).toMillis();

  private final ConcurrentMap<DemandKey, Tally> tallies = new ConcurrentHashMap<>();

  /**
   * The sum of what is counted under one key.
   *
   * @param slackMillis the time until the earliest deadline, to the second; negative once it has
   *     passed
   * @param neededTokensPerSecond the speed at which all of it ends by its deadlines
   */
  public record Sum(long requests, long tokens, long slackMillis, double neededTokensPerSecond) {}

  /** Of one second of deadlines, or of one key. */
  private static final class Amount {
    private long requests;
    private long tokens;

    boolean add(int by, long byTokens) {
      requests += by;
      tokens += byTokens;
      return requests > 0;
    }
  }

  private static final class Tally {
    private final Amount all = new Amount();

    /** By the second of the deadline, so that a million requests of a day take few entries. */
    private final TreeMap<Long, Amount> bySecond = new TreeMap<>();

    boolean add(int requests, long tokens, long deadlineMillis) {
      bySecond.compute(
          Math.floorDiv(deadlineMillis, 1_000L),
          (second, known) -> {
            Amount amount = known == null ? new Amount() : known;
            return amount.add(requests, tokens) ? amount : null;
          });
      return all.add(requests, tokens);
    }

    Sum sum(long nowMillis) {
      double needed = 0;
      long due = 0;
      for (Map.Entry<Long, Amount> second : bySecond.entrySet()) {
        due += second.getValue().tokens;
        long left = Math.max(LEAST_MILLIS, second.getKey() * 1_000 - nowMillis);
        needed = Math.max(needed, due * 1_000.0 / left);
      }
      return new Sum(all.requests, all.tokens, bySecond.firstKey() * 1_000 - nowMillis, needed);
    }
  }

  /** Counts one request. */
  public void add(DemandKey key, long tokens, long deadlineMillis) {
    count(key, 1, tokens, deadlineMillis);
  }

  /** Counts a request no longer. The arguments are those with which it was counted. */
  public void remove(DemandKey key, long tokens, long deadlineMillis) {
    count(key, -1, -tokens, deadlineMillis);
  }

  private void count(DemandKey key, int requests, long tokens, long deadlineMillis) {
    tallies.compute(
        key,
        (any, known) -> {
          Tally tally = known == null ? new Tally() : known;
          return tally.add(requests, tokens, deadlineMillis) ? tally : null;
        });
  }

  /**
   * Returns the sums of all keys that have requests.
   *
   * @param nowMillis the time on the scale of the deadlines
   */
  public Map<DemandKey, Sum> sums(long nowMillis) {
    Map<DemandKey, Sum> sums = new HashMap<>();
    for (DemandKey key : tallies.keySet()) {
      tallies.computeIfPresent(
          key,
          (any, tally) -> {
            sums.put(key, tally.sum(nowMillis));
            return tally;
          });
    }
    return sums;
  }
}
