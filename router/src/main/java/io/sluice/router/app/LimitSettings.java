package io.sluice.router.app;

import io.sluice.common.topic.PoolTopics;
import io.sluice.config.Setting;
import io.sluice.router.queue.Backlog;
import java.time.Duration;

/**
 * The limits beyond which requests are refused.
 *
 * @param maxPending requests that wait in this router
 * @param maxPendingBytes the heap that these may take; 0 for a quarter of the heap
 * @param maxWait how long an interactive request may wait, or be expected to wait, while others of
 *     its kind are served
 * @param maxFailures attempts that may fail before the caller is told
 * @param longestDeadline longer deadlines are refused
 */
public record LimitSettings(
    @Setting(
            defaultValue = "100000",
            unit = "requests",
            min = 1,
            max = 1_000_000_000,
            meaning =
                "The maximum number of requests that wait in this router; beyond it new ones are"
                    + " `overloaded`.")
        int maxPending,
    @Setting(
            defaultValue = "0",
            unit = "bytes",
            min = 0,
            meaning =
                "The maximum heap for waiting requests, in bytes. A waiting request takes 1.2 KB and three"
                    + " times the length of its names, whatever its prompt, which stays in Kafka."
                    + " 0 means a quarter of the heap, which leaves room for the backlog of a lost"
                    + " router and for a standby copy.")
        long maxPendingBytes,
    @Setting(
            environment = "SLUICE_MAX_WAIT_SECONDS",
            defaultValue = "30",
            unit = "s",
            min = 0,
            max = 86_400,
            meaning =
                "The longest wait for a worker. An interactive or urgent request that would wait"
                    + " longer, or beyond its deadline, is `overloaded` at once. The wait is"
                    + " estimated from the tokens ahead of it in its model, lane and tiers and from"
                    + " what the pool served of these lately; while that is not known, nothing is"
                    + " refused. A request that has waited this long for its first worker, while"
                    + " others of its kind were served without a pause of 10 s (or half of this"
                    + " setting), is `overloaded` too. Bulk may always wait.")
        Duration maxWait,
    @Setting(
            defaultValue = "3",
            unit = "attempts",
            min = 1,
            max = 1_000,
            meaning =
                "Attempts that may fail, in engines or by breaking their workers, before the"
                    + " caller gets an error. An attempt that adds tokens resets the count."
                    + " Hand-backs, busy engines and a log that cannot be read or written do not"
                    + " count.")
        int maxFailures,
    @Setting(
            key = "max-deadline",
            environment = "SLUICE_MAX_DEADLINE_HOURS",
            defaultValue = "24",
            unit = "h",
            min = 24,
            max = 8_784,
            meaning =
                "The longest deadline; longer ones are refused, with 10 minutes of grace. The"
                    + " pool's topics keep records for a day longer: a router raises their"
                    + " `retention.ms` at its start where it is less. Each service configures its"
                    + " own reply topics.")
        Duration longestDeadline) {

  public LimitSettings {
    if (longestDeadline.compareTo(PoolTopics.LONGEST_DEADLINE) < 0) {
      throw new IllegalArgumentException(
          "the longest deadline must be at least %d hours, not %d"
              .formatted(PoolTopics.LONGEST_DEADLINE.toHours(), longestDeadline.toHours()));
    }
  }

  /**
   * Returns what may wait in this router. By default it takes a quarter of the heap: as much may
   * come from a router that is lost, and as much stand by for another one.
   */
  public Backlog.Limits backlog() {
    return new Backlog.Limits(
        maxPending, maxPendingBytes == 0 ? Runtime.getRuntime().maxMemory() / 4 : maxPendingBytes);
  }
}
