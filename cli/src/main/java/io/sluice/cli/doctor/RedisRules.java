package io.sluice.cli.doctor;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** What a pool needs of Redis. */
final class RedisRules {
  /** Quotas and breakers are counted in times of Redis; services allow for less than this. */
  private static final Duration SKEW = Duration.ofSeconds(2);

  /** Services wait half a second for an answer. */
  private static final Duration SLOW = Duration.ofMillis(100);

  private static final double NEARLY_FULL = 0.8;

  private RedisRules() {}

  static List<Finding> findings(RedisFacts redis) {
    List<Finding> findings = new ArrayList<>();
    findings.add(answer(redis));
    findings.add(Clocks.finding("Redis's clock", redis.ahead(), SKEW));
    findings.addAll(memory(redis.info()));
    if (redis.keepsData().filter(keeps -> !keeps).isPresent()) {
      findings.add(
          Finding.warning(
              "Redis's data",
              "it is in memory only",
              "turn on RDB or AOF if the gateway has API keys: they are lost with Redis"));
    }
    return findings;
  }

  private static Finding answer(RedisFacts redis) {
    String state =
        "version %s, answers in %d ms"
            .formatted(
                redis.info().getOrDefault("redis_version", "unknown"),
                redis.answerTime().toMillis());
    return redis.answerTime().compareTo(SLOW) > 0
        ? Finding.warning(
            "Redis", state, "services wait for 500 ms: check its load and the network")
        : Finding.ok("Redis", state);
  }

  private static List<Finding> memory(Map<String, String> info) {
    long most = number(info, "maxmemory");
    long used = number(info, "used_memory");
    List<Finding> findings = new ArrayList<>();
    if (most > 0 && used > NEARLY_FULL * most) {
      findings.add(
          Finding.warning(
              "Redis's memory", "%d %% used".formatted(100 * used / most), "raise maxmemory"));
    }
    String policy = info.getOrDefault("maxmemory_policy", "noeviction");
    if (most > 0 && policy.startsWith("allkeys")) {
      findings.add(
          Finding.failure(
              "Redis's memory",
              "maxmemory-policy is " + policy,
              "set it to noeviction: Redis would drop API keys and breakers"));
    }
    return findings;
  }

  private static long number(Map<String, String> info, String field) {
    try {
      return Long.parseLong(info.getOrDefault(field, "0").strip());
    } catch (NumberFormatException e) {
      return 0;
    }
  }
}
