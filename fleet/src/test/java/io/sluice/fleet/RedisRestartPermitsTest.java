package io.sluice.fleet;

import static io.sluice.fleet.redis.TestRedis.get;
import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.fleet.redis.TestRedis;
import java.time.Duration;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;

class RedisRestartPermitsTest {
  private static final TestRedis REDIS = new TestRedis();
  private static final Duration LIFE = Duration.ofMinutes(1);

  private final RestartPermits permits = new RedisRestartPermits(REDIS.client(), "pool");

  @AfterAll
  static void stop() {
    REDIS.close();
  }

  @Test
  void asManyWorkersOfAGroupHoldOneAsAllowed() {
    assertThat(get(permits.hold("full", "a", 2, LIFE))).isTrue();
    assertThat(get(permits.hold("full", "b", 2, LIFE))).isTrue();
    assertThat(get(permits.hold("full", "c", 2, LIFE))).isFalse();
    assertThat(get(permits.hold("other", "c", 2, LIFE))).isTrue();
  }

  @Test
  void aHolderRenewsItsPermitAlsoWhenFewerAreAllowedNow() {
    get(permits.hold("renewed", "a", 2, LIFE));
    get(permits.hold("renewed", "b", 2, LIFE));

    assertThat(get(permits.hold("renewed", "b", 1, LIFE))).isTrue();
  }

  @Test
  void aPermitThatIsGivenBackIsFree() {
    get(permits.hold("back", "a", 1, LIFE));

    get(permits.release("back", "a"));

    assertThat(get(permits.hold("back", "b", 1, LIFE))).isTrue();
  }

  @Test
  void thePermitOfADeadHolderEnds() throws InterruptedException {
    get(permits.hold("dead", "a", 1, Duration.ofMillis(50)));

    while (!get(permits.hold("dead", "b", 1, LIFE))) {
      Thread.sleep(10);
    }
    assertThat(get(permits.hold("dead", "a", 1, LIFE))).isFalse();
  }
}
