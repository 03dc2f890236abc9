package io.sluice.fleet;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.fleet.RedisQuotas.Limits;
import io.sluice.fleet.RedisQuotas.Reservation;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.redisson.api.RedissonClient;
import redis.embedded.RedisServer;

class RedisQuotasTest {
  private static final Duration LIFE = Duration.ofMinutes(10);

  private static RedisServer server;
  private static final List<RedissonClient> clients = new ArrayList<>();

  @BeforeAll
  static void startRedis() throws IOException {
    int port = TestRedis.freePort();
    server = TestRedis.start(port);
    for (int i = 0; i < 3; i++) {
      clients.add(RedisConnection.open("redis://127.0.0.1:" + port));
    }
  }

  @AfterAll
  static void stopRedis() throws IOException {
    clients.forEach(client -> client.shutdown(0, 1, TimeUnit.SECONDS));
    server.stop();
  }

  @Test
  void fiftyCallersAtThreeGatewaysGetNoMoreThanTheLimit() throws Exception {
    // Given a limit that grows back by one in 60 ms, so by at most 2 % in the time of a call's
    // bound
    Limits limits = new Limits("hammered", 0, 1_000_000, 0);
    List<RedisQuotas> gateways =
        clients.stream().map(client -> new RedisQuotas(client, "default")).toList();

    // A client's first call takes long; a call that times out is not repeated, so it is not
    // counted.
    gateways.forEach(gateway -> get(gateway.settle(limits, 0, "none")));

    // When
    long start = System.nanoTime();
    List<Future<Reservation>> all = new ArrayList<>();
    try (ExecutorService callers = Executors.newFixedThreadPool(50)) {
      for (int i = 0; i < 1_500; i++) {
        String lease = "lease-" + i;
        RedisQuotas gateway = gateways.get(i % gateways.size());
        all.add(callers.submit(() -> get(gateway.reserve(limits, 1_000, lease, LIFE))));
      }
    }
    double minutes = (System.nanoTime() - start) / 60e9;

    // Then
    long granted = 0;
    long unanswered = 0;
    for (Future<Reservation> one : all) {
      switch (one.state()) {
        case SUCCESS -> granted += one.resultNow().isGranted() ? 1 : 0;
        default -> unanswered++;
      }
    }
    assertThat(granted + unanswered).isGreaterThanOrEqualTo(1_000);
    assertThat(granted * 1_000.0).isLessThanOrEqualTo(1_000_000 * (1 + minutes));
  }

  @Test
  void whatWasNotUsedIsGivenBack() {
    // Given
    RedisQuotas quotas = quotas();
    Limits limits = new Limits("refunded", 0, 6, 0);
    assertThat(get(quotas.reserve(limits, 6, "a", LIFE)).isGranted()).isTrue();
    Reservation refused = get(quotas.reserve(limits, 6, "b", LIFE));

    // When
    get(quotas.settle(limits, 6, "a"));

    // Then
    assertThat(refused.lacking()).isEqualTo("tokens");
    assertThat(refused.waitMillis()).isBetween(50_000L, 60_000L);
    assertThat(get(quotas.reserve(limits, 6, "b", LIFE)).isGranted()).isTrue();
  }

  @Test
  void whoUsedMoreThanWasReservedWaitsLonger() {
    // Given
    RedisQuotas quotas = quotas();
    Limits limits = new Limits("overdrawn", 0, 100, 0);
    get(quotas.reserve(limits, 100, "a", LIFE));

    // When
    get(quotas.settle(limits, -100, "a"));

    // Then
    Reservation next = get(quotas.reserve(limits, 1, "b", LIFE));
    assertThat(next.isGranted()).isFalse();
    assertThat(next.tokensLeft()).isBetween(-100L, -90L);
  }

  @Test
  void requestsOfAMinuteAreLimited() {
    // Given
    RedisQuotas quotas = quotas();
    Limits limits = new Limits("counted", 2, 0, 0);

    // Then
    assertThat(get(quotas.reserve(limits, 9, "a", LIFE)).requestsLeft()).isEqualTo(1);
    assertThat(get(quotas.reserve(limits, 9, "b", LIFE)).isGranted()).isTrue();
    assertThat(get(quotas.reserve(limits, 9, "c", LIFE)).lacking()).isEqualTo("requests");
  }

  @Test
  void aPlaceIsFreeWhenItsRequestEndsOrItsLeaseExpires() {
    // Given
    RedisQuotas quotas = quotas();
    Limits limits = new Limits("places", 0, 0, 1);
    get(quotas.reserve(limits, 1, "a", LIFE));
    Reservation second = get(quotas.reserve(limits, 1, "b", LIFE));

    // When
    get(quotas.settle(limits, 0, "a"));

    // Then
    assertThat(second.lacking()).isEqualTo("places");
    assertThat(get(quotas.reserve(limits, 1, "expires", Duration.ZERO)).isGranted()).isTrue();
    assertThat(get(quotas.reserve(limits, 1, "c", LIFE)).isGranted()).isTrue();
  }

  private static RedisQuotas quotas() {
    return new RedisQuotas(clients.getFirst(), "default");
  }

  private static <T> T get(CompletionStage<T> stage) {
    return stage.toCompletableFuture().orTimeout(30, TimeUnit.SECONDS).join();
  }
}
