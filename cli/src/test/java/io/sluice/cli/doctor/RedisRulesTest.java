package io.sluice.cli.doctor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import io.sluice.cli.doctor.Finding.Grade;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class RedisRulesTest {
  private static final Duration QUICK = Duration.ofMillis(1);

  @Test
  void aRedisAsItShouldBeIsOk() {
    var redis =
        new RedisFacts(
            Map.of("redis_version", "7.0.15", "maxmemory", "0", "maxmemory_policy", "noeviction"),
            Duration.ZERO,
            Optional.of(true),
            QUICK);

    assertThat(RedisRules.findings(redis)).extracting(Finding::grade).containsOnly(Grade.OK);
  }

  @Test
  void whatLosesOrDelaysDataIsTold() {
    var redis =
        new RedisFacts(
            Map.of("maxmemory", "1000", "used_memory", "900", "maxmemory_policy", "allkeys-lru"),
            Duration.ofSeconds(10),
            Optional.of(false),
            Duration.ofMillis(200));

    List<Finding> found = RedisRules.findings(redis);

    assertThat(found)
        .extracting(Finding::part, Finding::grade)
        .containsExactly(
            tuple("Redis", Grade.WARNING),
            tuple("Redis's clock", Grade.WARNING),
            tuple("Redis's memory", Grade.WARNING),
            tuple("Redis's memory", Grade.FAILURE),
            tuple("Redis's data", Grade.WARNING));
  }

  @Test
  void aRedisThatTellsNothingIsNotBlamed() {
    var redis = new RedisFacts(Map.of(), Duration.ZERO, Optional.empty(), QUICK);

    assertThat(RedisRules.findings(redis)).extracting(Finding::grade).containsOnly(Grade.OK);
  }
}
