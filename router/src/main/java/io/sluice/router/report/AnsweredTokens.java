package io.sluice.router.report;

import io.sluice.router.demand.DemandKey;
import io.sluice.router.request.RequestMetadata;
import io.sluice.router.schedule.task.SchedulerListener;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.function.LongSupplier;

/**
 * The tokens per second of the requests that were answered in the last minute, prompt and expected
 * output together. A key without answers in that time is forgotten. Thread-safe.
 */
public final class AnsweredTokens implements SchedulerListener {
  private static final long BUCKET_NANOS = Duration.ofSeconds(10).toNanos();
  private static final int BUCKETS = 6;

  private final LongSupplier nanoClock;
  private final Map<DemandKey, Recent> keys = new HashMap<>();

  /** A ring of buckets of ten seconds. */
  private static final class Recent {
    private final long[] tokens = new long[BUCKETS];
    private final long firstNanos;
    private long bucket;

    Recent(long nowNanos) {
      this.firstNanos = nowNanos;
      this.bucket = Math.floorDiv(nowNanos, BUCKET_NANOS);
    }

    void advance(long nowNanos) {
      long now = Math.floorDiv(nowNanos, BUCKET_NANOS);
      for (long next = Math.max(bucket + 1, now - BUCKETS + 1); next <= now; next++) {
        tokens[Math.floorMod(next, BUCKETS)] = 0;
      }
      bucket = Math.max(bucket, now);
    }

    void add(long more) {
      tokens[Math.floorMod(bucket, BUCKETS)] += more;
    }

    long sum() {
      long sum = 0;
      for (long of : tokens) {
        sum += of;
      }
      return sum;
    }

    double perSecond(long nowNanos) {
      long inBucket = Math.floorMod(nowNanos, BUCKET_NANOS);
      long covered = Math.min(nowNanos - firstNanos, (BUCKETS - 1) * BUCKET_NANOS + inBucket);
      return sum() * 1e9 / Math.max(BUCKET_NANOS, covered);
    }
  }

  /**
   * Creates an instance that knows of no answers.
   *
   * @param nanoClock monotonic nanoseconds
   */
  public AnsweredTokens(LongSupplier nanoClock) {
    this.nanoClock = nanoClock;
  }

  @Override
  public synchronized void answered(RequestMetadata metadata) {
    long now = nanoClock.getAsLong();
    DemandKey key =
        DemandKey.of(metadata.model(), metadata.classification().tiers(), metadata.priority());
    Recent recent = keys.computeIfAbsent(key, any -> new Recent(now));
    recent.advance(now);
    recent.add(metadata.contextTokens());
  }

  /** Returns the speed of each key with answers in the last minute. */
  public synchronized Map<DemandKey, Double> perSecond() {
    long now = nanoClock.getAsLong();
    keys.values().forEach(recent -> recent.advance(now));
    keys.values().removeIf(recent -> recent.sum() == 0);
    Map<DemandKey, Double> speeds = new HashMap<>();
    keys.forEach((key, recent) -> speeds.put(key, recent.perSecond(now)));
    return speeds;
  }
}
