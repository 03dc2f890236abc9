package io.sluice.standalone.verify.pressure;

import io.sluice.fleet.WorkerSnapshot;
import io.sluice.standalone.verify.pool.EngineFigures;
import io.sluice.standalone.verify.pool.Finding;
import io.sluice.standalone.verify.pool.PoolWatch.Seen;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/**
 * Checks whether the tokens in use that a worker reports are those of the engine's KV cache. The
 * engine counts whole blocks, and a few tokens are not counted yet, so that the numbers may differ
 * by that for each request. They are compared only while the engine runs exactly the requests that
 * the worker holds. Not thread-safe.
 */
final class TokensCheck {
  /** Two scrapes that are further apart say little about the time between them. */
  private static final Duration NEAR = Duration.ofSeconds(1);

  private static final int ON_THEIR_WAY = 16;

  private final KvCache cache;
  private final List<Seen<EngineFigures>> looked;
  private final List<Long> apart = new ArrayList<>();
  private long most;

  /**
   * Creates a check of observed values.
   *
   * @param looked the engine's metrics, in order
   */
  TokensCheck(KvCache cache, List<Seen<EngineFigures>> looked) {
    this.cache = cache;
    this.looked = List.copyOf(looked);
  }

  /** Compares them with what the worker reported to the fleet. */
  Finding run(List<Seen<WorkerSnapshot>> told) {
    for (Seen<WorkerSnapshot> snapshot : told) {
      int after = firstAfter(snapshot.nanos());
      if (after > 0 && after < looked.size()) {
        compare(snapshot.what(), looked.get(after - 1), looked.get(after));
      }
    }
    if (apart.isEmpty()) {
      return Finding.skipped("the engine never ran exactly the requests that the worker held");
    }
    Collections.sort(apart);
    long median = apart.get(apart.size() / 2);
    int allowed = cache.blockTokens() + ON_THEIR_WAY;
    return median > allowed
        ? Finding.broken(
            ("expected the worker's tokens in use to be the engine's, but for %d of each request; in"
                    + " the median of %d comparisons they are %d of each apart")
                .formatted(allowed, apart.size(), median))
        : Finding.kept(
            ("up to %d of %d are in use, as the engine says, but for %d of each request in the"
                    + " median, %d at most (blocks have %d; %d comparisons)")
                .formatted(
                    most,
                    cache.tokens(),
                    median,
                    apart.getLast(),
                    cache.blockTokens(),
                    apart.size()));
  }

  private void compare(
      WorkerSnapshot worker, Seen<EngineFigures> before, Seen<EngineFigures> after) {
    int held = worker.heldInAll();
    boolean isComparable =
        held > 0
            && isAll(held, before.what())
            && isAll(held, after.what())
            && after.nanos() - before.nanos() < NEAR.toNanos();
    if (isComparable) {
      double one = before.what().kvUsage() * cache.tokens();
      double other = after.what().kvUsage() * cache.tokens();
      double tokens = worker.tokensInUse();
      double difference =
          Math.max(0, Math.max(Math.min(one, other) - tokens, tokens - Math.max(one, other)));
      apart.add(Math.round(difference / held));
      most = Math.max(most, worker.tokensInUse());
    }
  }

  private static boolean isAll(int held, EngineFigures engine) {
    return engine.running() == held && engine.waiting() == 0;
  }

  private int firstAfter(long nanos) {
    int index = 0;
    while (index < looked.size() && looked.get(index).nanos() - nanos < 0) {
      index++;
    }
    return index;
  }
}
