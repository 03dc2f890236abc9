package io.sluice.gateway.quota;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.gateway.quota.BodyBudget.Reservation;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class BodyBudgetTest {
  private final BodyBudget budget = new BodyBudget(100);

  @Test
  void aTenantHasAtMostHalfOfTheRoom() throws Exception {
    // When
    Optional<Reservation> first = reserve("a", 50);
    Optional<Reservation> second = reserve("a", 1);
    Optional<Reservation> ofAnother = reserve("b", 50);

    // Then
    assertThat(first).isPresent();
    assertThat(second).isEmpty();
    assertThat(ofAnother).isPresent();
    assertThat(reserve("c", 1)).isEmpty();
  }

  @Test
  void theRoomIsGivenBackOnce() throws Exception {
    // Given
    Reservation first = reserve("a", 50).orElseThrow();
    Reservation ofAnother = reserve("b", 50).orElseThrow();

    // When
    first.close();
    first.close();

    // Then
    assertThat(reserve("c", 50)).isPresent();
    assertThat(reserve("d", 1)).isEmpty();
    ofAnother.close();
    assertThat(reserve("d", 50)).isPresent();
  }

  @Test
  void whatABodyDoesNotNeedIsFree() throws Exception {
    // Given
    Reservation chunked = reserve("a", 50).orElseThrow();

    // When
    chunked.shrinkTo(10);

    // Then
    assertThat(reserve("a", 41)).isEmpty();
    assertThat(reserve("a", 40)).isPresent();
  }

  @Test
  void aBodyWaitsForRoom() throws Exception {
    // Given
    Reservation first = reserve("a", 50).orElseThrow();

    // When
    CompletableFuture<Optional<Reservation>> second =
        CompletableFuture.supplyAsync(
            () -> {
              try {
                return budget.reserve("a", 50, Duration.ofMinutes(1));
              } catch (InterruptedException e) {
                throw new IllegalStateException(e);
              }
            });
    first.close();

    // Then
    assertThat(second.get(30, TimeUnit.SECONDS)).isPresent();
  }

  private Optional<Reservation> reserve(String tenant, long bytes) throws InterruptedException {
    return budget.reserve(tenant, bytes, Duration.ZERO);
  }
}
