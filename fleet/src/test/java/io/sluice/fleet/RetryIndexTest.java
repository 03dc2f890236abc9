package io.sluice.fleet;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.redisson.api.RedissonClient;
import redis.embedded.RedisServer;

class RetryIndexTest {
  private static final Duration LIFE = Duration.ofMinutes(1);

  private static RedisServer server;
  private static RedissonClient client;

  private final RetryIndex index = new RetryIndex(client, "default");

  @BeforeAll
  static void startRedis() throws IOException {
    int port = TestRedis.freePort();
    server = TestRedis.start(port);
    client = RedisConnection.open("redis://127.0.0.1:" + port);
  }

  @AfterAll
  static void stopRedis() throws IOException {
    client.shutdown(0, 1, TimeUnit.SECONDS);
    server.stop();
  }

  @Test
  void aRetryGetsTheRequestOfTheFirstTryAndHoldsIt() {
    // When
    Optional<String> first = get(index.begin("a", "request-1", "try-1", LIFE, false));
    Optional<String> retry = get(index.begin("a", "request-2", "try-2", LIFE, true));

    // Then
    assertThat(first).isEmpty();
    assertThat(retry).contains("request-1");
    assertThat(get(index.isHeldBy("a", "try-1"))).isFalse();
    assertThat(get(index.isHeldBy("a", "try-2"))).isTrue();
  }

  @Test
  void aRetryOfWhatNobodyBeganBeginsItsOwn() {
    // When
    Optional<String> retry = get(index.begin("b", "request-1", "try-1", LIFE, true));

    // Then
    assertThat(retry).isEmpty();
    assertThat(get(index.begin("b", "request-2", "try-2", LIFE, true))).contains("request-1");
  }

  @Test
  void twoFirstTriesAreTwoRequests() {
    // Given
    get(index.begin("c", "request-1", "try-1", LIFE, false));

    // Then
    assertThat(get(index.begin("c", "request-2", "try-2", LIFE, false))).isEmpty();
    assertThat(get(index.begin("c", "request-3", "try-3", LIFE, true))).contains("request-2");
  }

  @Test
  void whatTheIndexHasForgottenIsHeldByItsOnlyTry() {
    assertThat(get(index.isHeldBy("never", "try-1"))).isTrue();
  }

  private static <T> T get(CompletionStage<T> stage) {
    return stage.toCompletableFuture().orTimeout(10, TimeUnit.SECONDS).join();
  }
}
