package io.sluice.gateway.http;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.gateway.http.TenantShares.Share;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class TenantSharesTest {
  private final TenantShares shares = new TenantShares(100);

  @Test
  void aTenantHasAtMostHalf() throws Exception {
    // When
    Optional<Share> first = take("a", 50);
    Optional<Share> second = take("a", 1);
    Optional<Share> ofAnother = take("b", 50);

    // Then
    assertThat(first).isPresent();
    assertThat(second).isEmpty();
    assertThat(ofAnother).isPresent();
    assertThat(take("c", 1)).isEmpty();
  }

  @Test
  void aShareIsGivenBackOnce() throws Exception {
    // Given
    Share first = take("a", 50).orElseThrow();
    Share ofAnother = take("b", 50).orElseThrow();

    // When
    first.close();
    first.close();

    // Then
    assertThat(take("c", 50)).isPresent();
    assertThat(take("d", 1)).isEmpty();
    ofAnother.close();
    assertThat(take("d", 50)).isPresent();
  }

  @Test
  void whatIsNotNeededIsFree() throws Exception {
    // Given
    Share chunked = take("a", 50).orElseThrow();

    // When
    chunked.shrinkTo(10);

    // Then
    assertThat(take("a", 41)).isEmpty();
    assertThat(take("a", 40)).isPresent();
  }

  @Test
  void aTenantWaitsForAShare() throws Exception {
    // Given
    Share first = take("a", 50).orElseThrow();

    // When
    CompletableFuture<Optional<Share>> second =
        CompletableFuture.supplyAsync(
            () -> {
              try {
                return shares.take("a", 50, Duration.ofMinutes(1));
              } catch (InterruptedException e) {
                throw new IllegalStateException(e);
              }
            });
    first.close();

    // Then
    assertThat(second.get(30, TimeUnit.SECONDS)).isPresent();
  }

  private Optional<Share> take(String tenant, long amount) throws InterruptedException {
    return shares.take(tenant, amount, Duration.ZERO);
  }
}
