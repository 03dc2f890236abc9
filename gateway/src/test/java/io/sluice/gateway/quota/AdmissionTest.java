package io.sluice.gateway.quota;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.micronaut.http.HttpRequest;
import io.sluice.common.protocol.Endpoint;
import io.sluice.fleet.quota.Quotas.Lacking;
import io.sluice.fleet.quota.Quotas.Lease;
import io.sluice.fleet.quota.Quotas.Reservation;
import io.sluice.gateway.access.Caller;
import io.sluice.gateway.access.KeyLimits;
import io.sluice.gateway.http.ApiException;
import io.sluice.gateway.pool.Spent;
import io.sluice.producer.client.InferenceRequest;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class AdmissionTest {
  private static final InferenceRequest REQUEST =
      InferenceRequest.of(
              Endpoint.COMPLETIONS, "{\"prompt\":[1,2,3],\"max_tokens\":100}".getBytes(UTF_8))
          .build();

  private final FakeQuotas quotas = new FakeQuotas();
  private final Leases leases = new Leases(quotas);
  private final Admission admission = new Admission(quotas, leases);

  @AfterEach
  void stop() {
    leases.close();
  }

  private final AtomicInteger refused = new AtomicInteger();

  @Test
  void whatARequestDidNotUseIsGivenBackOnce() throws Exception {
    // Given
    Ticket ticket = admit();

    // When
    ticket.settle(new Spent(OptionalLong.of(4), OptionalLong.of(10)));
    ticket.settle(Spent.NOTHING);

    // Then
    assertThat(quotas.reserved).containsExactly(103L);
    assertThat(quotas.settled).containsExactly(new FakeQuotas.Settled(89, quotas.lease));
  }

  @Test
  void whatRedisDidNotTakeIsSettledAgain() throws Exception {
    // Given
    Ticket ticket = admit();
    quotas.settlement = CompletableFuture.failedFuture(new IllegalStateException("Redis is away"));
    ticket.settle(new Spent(OptionalLong.of(4), OptionalLong.of(10)));
    leases.renew();

    // When
    quotas.settlement = CompletableFuture.completedFuture(null);
    leases.renew();
    quotas.renewed.clear();
    leases.renew();

    // Then
    assertThat(quotas.settled).hasSize(3).containsOnly(new FakeQuotas.Settled(89, quotas.lease));
    assertThat(quotas.renewed).isEmpty();
  }

  @Test
  void aSettlementIsNotTriedForEver() throws Exception {
    // Given
    quotas.settlement = CompletableFuture.failedFuture(new IllegalStateException("Redis is away"));
    admit().settle(Spent.UNKNOWN);

    // When
    for (int i = 0; i < 10; i++) {
      leases.renew();
    }

    // Then
    assertThat(quotas.settled).hasSize(4);
  }

  @Test
  void aRequestThatWasStoppedCountsItsPromptAndWhatItMade() throws Exception {
    // When
    admit().settle(new Spent(OptionalLong.empty(), OptionalLong.of(10)));

    // Then
    assertThat(quotas.settled).containsExactly(new FakeQuotas.Settled(90, quotas.lease));
  }

  @Test
  void whatIsNotKnownCountsAsItWasReserved() throws Exception {
    // When
    admit().settle(Spent.UNKNOWN);

    // Then
    assertThat(quotas.settled).containsExactly(new FakeQuotas.Settled(0, quotas.lease));
  }

  @Test
  void aPlaceIsRenewedUntilItsRequestEnds() throws Exception {
    // Given
    Ticket ticket = admit();
    leases.renew();

    // When
    ticket.settle(Spent.UNKNOWN);
    leases.renew();

    // Then
    assertThat(quotas.renewed).containsExactly(new Lease("id", quotas.lease));
  }

  @Test
  void aReservationThatIsGrantedTooLateIsSettledToo() throws Exception {
    // Given
    quotas.answer = new CompletableFuture<>();
    Ticket ticket = admit();
    quotas.answer.complete(new Reservation(Lacking.NOTHING, 0, 0, 0));

    // When
    ticket.settle(Spent.NOTHING);

    // Then
    assertThat(quotas.settled).containsExactly(new FakeQuotas.Settled(103, quotas.lease));
  }

  @Test
  void aReservationThatWasInterruptedIsGivenBack() {
    // Given
    quotas.answer = new CompletableFuture<>();
    Thread.currentThread().interrupt();

    // Then
    assertThatExceptionOfType(InterruptedException.class).isThrownBy(this::admit);
    assertThat(quotas.settled).containsExactly(new FakeQuotas.Settled(103, quotas.lease));
  }

  @Test
  void aRefusedRequestHoldsNothing() {
    // Given
    quotas.answer = CompletableFuture.completedFuture(new Reservation(Lacking.PLACES, 1_000, 0, 0));

    // Then
    assertThatExceptionOfType(ApiException.class)
        .isThrownBy(this::admit)
        .withMessageContaining("7 requests at the same time");
    assertThat(refused).hasValue(1);
    leases.renew();
    assertThat(quotas.renewed).isEmpty();
  }

  private Ticket admit() throws InterruptedException {
    KeyLimits limits =
        new KeyLimits(
            OptionalLong.empty(),
            OptionalLong.of(1_000),
            OptionalInt.of(7),
            List.of(),
            List.of(),
            Optional.empty());
    return admission.admit(
        HttpRequest.GET("/v1/completions"),
        new Caller("acme", limits, Optional.of("id")),
        REQUEST,
        refused::incrementAndGet);
  }
}
