package io.sluice.fleet.quota;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.fleet.quota.Quotas.Lacking;
import io.sluice.fleet.quota.Quotas.Lease;
import io.sluice.fleet.quota.Quotas.Limits;
import io.sluice.fleet.quota.Quotas.Reservation;
import io.sluice.fleet.redis.RedisConnection;
import io.sluice.fleet.redis.TestRedis;
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
    assertThat(refused.lacking()).isEqualTo(Lacking.TOKENS);
    assertThat(refused.waitMillis()).isBetween(50_000L, 60_000L);
    assertThat(get(quotas.reserve(limits, 6, "c", LIFE)).isGranted()).isTrue();
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
    assertThat(get(quotas.reserve(limits, 9, "c", LIFE)).lacking()).isEqualTo(Lacking.REQUESTS);
  }

  @Test
  void aKeyThatGetsALimitLaterHasNoDebt() {
    // Given
    RedisQuotas quotas = quotas();
    for (int i = 0; i < 20; i++) {
      get(quotas.reserve(new Limits("later", 0, 0, 1), 1_000, "a" + i, Duration.ZERO));
    }

    // Then
    Reservation limited = get(quotas.reserve(new Limits("later", 10, 10_000, 0), 100, "b", LIFE));
    assertThat(limited.isGranted()).isTrue();
    assertThat(limited.requestsLeft()).isEqualTo(9);
    assertThat(limited.tokensLeft()).isEqualTo(9_900);
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
    assertThat(second.lacking()).isEqualTo(Lacking.PLACES);
    assertThat(get(quotas.reserve(limits, 1, "expires", Duration.ZERO)).isGranted()).isTrue();
    assertThat(get(quotas.reserve(limits, 1, "c", LIFE)).isGranted()).isTrue();
  }

  @Test
  void aRepeatedReservationIsChargedOnce() {
    // Given
    RedisQuotas quotas = quotas();
    Limits limits = new Limits("repeated", 10, 10_000, 2);
    Reservation first = get(quotas.reserve(limits, 6_000, "a", LIFE));

    // When
    Reservation repeat = get(quotas.reserve(limits, 6_000, "a", LIFE));

    // Then
    assertThat(first.isGranted()).isTrue();
    assertThat(repeat).isEqualTo(first);
    Reservation next = get(quotas.reserve(limits, 3_000, "b", LIFE));
    assertThat(next.isGranted()).isTrue();
    assertThat(next.requestsLeft()).isEqualTo(8);
    assertThat(next.tokensLeft()).isBetween(1_000L, 2_000L);
    assertThat(get(quotas.reserve(limits, 1, "c", LIFE)).lacking()).isEqualTo(Lacking.PLACES);
  }

  @Test
  void aRepeatedSettlementGivesBackOnce() {
    // Given
    RedisQuotas quotas = quotas();
    Limits limits = new Limits("settled", 0, 100_000, 0);
    get(quotas.reserve(limits, 50_000, "a", LIFE));
    get(quotas.reserve(limits, 50_000, "b", LIFE));

    // When
    get(quotas.settle(limits, 40_000, "a"));
    get(quotas.settle(limits, 40_000, "a"));

    // Then
    assertThat(get(quotas.reserve(limits, 0, "c", LIFE)).tokensLeft()).isBetween(40_000L, 60_000L);
  }

  @Test
  void aReservationThatArrivesAfterItsSettlementTakesNothing() {
    // Given
    RedisQuotas quotas = quotas();
    Limits limits = new Limits("overtaken", 0, 100_000, 1);

    // When
    get(quotas.settle(limits, 50_000, "late"));
    Reservation late = get(quotas.reserve(limits, 50_000, "late", LIFE));

    // Then
    assertThat(late.isGranted()).isFalse();
    Reservation next = get(quotas.reserve(limits, 0, "next", LIFE));
    assertThat(next.isGranted()).isTrue();
    assertThat(next.tokensLeft()).isEqualTo(100_000);
  }

  @Test
  void whatARefusedRequestSettlesGivesNothingBack() {
    // Given
    RedisQuotas quotas = quotas();
    Limits limits = new Limits("refused", 0, 100_000, 0);
    get(quotas.reserve(limits, 90_000, "a", LIFE));

    // When
    assertThat(get(quotas.reserve(limits, 90_000, "b", LIFE)).isGranted()).isFalse();
    get(quotas.settle(limits, 90_000, "b"));

    // Then
    assertThat(get(quotas.reserve(limits, 0, "c", LIFE)).tokensLeft()).isLessThan(40_000);
  }

  @Test
  void aRenewedLeaseKeepsItsPlaceAndASettledOneDoesNot() {
    // Given a place whose life is over, and one of a request that has ended
    RedisQuotas quotas = quotas();
    Limits limits = new Limits("renewed", 0, 0, 1);
    get(quotas.reserve(limits, 1, "ended", LIFE));
    get(quotas.settle(limits, 0, "ended"));
    get(quotas.reserve(limits, 1, "long", Duration.ZERO));

    // When
    get(
        quotas.renew(
            List.of(
                new Lease("renewed", "ended"),
                new Lease("renewed", "long"),
                new Lease("renewed", "unknown")),
            LIFE));

    // Then
    assertThat(get(quotas.reserve(limits, 1, "other", LIFE)).lacking()).isEqualTo(Lacking.PLACES);
    get(quotas.settle(limits, 0, "long"));
    assertThat(get(quotas.reserve(limits, 1, "next", LIFE)).isGranted()).isTrue();
  }

  private static RedisQuotas quotas() {
    return new RedisQuotas(clients.getFirst(), "default");
  }

  private static <T> T get(CompletionStage<T> stage) {
    return stage.toCompletableFuture().orTimeout(30, TimeUnit.SECONDS).join();
  }
}
