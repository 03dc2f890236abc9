package io.sluice.gateway.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

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
    Waiting second = waiting("a", 50);

    // When
    first.close();

    // Then
    assertThat(second.share()).isPresent();
  }

  @Test
  void whatAsksForLessDoesNotPass() throws Exception {
    // Given
    Share first = take("a", 50).orElseThrow();
    Share second = take("b", 40).orElseThrow();
    Waiting large = waiting("c", 30);

    // When
    Optional<Share> small = shares.tryTake("d", 10);
    second.close();

    // Then
    assertThat(small).isEmpty();
    assertThat(large.share()).isPresent();
    assertThat(shares.tryTake("d", 10)).isPresent();
    first.close();
  }

  @Test
  void whoWaitsForTheHalfOfItsOwnTenantIsPassedByOthers() throws Exception {
    // Given
    Share first = take("a", 50).orElseThrow();
    Waiting second = waiting("a", 20);

    // When
    Optional<Share> ofAnother = take("b", 50);
    first.shrinkTo(40);
    Optional<Share> ofTheSame = take("a", 10);

    // Then
    assertThat(ofAnother).isPresent();
    assertThat(ofTheSame).isEmpty();
    first.close();
    assertThat(second.share()).isPresent();
  }

  @Test
  void whoGivesUpLetsThoseBehindItPass() throws Exception {
    // Given
    assertThat(take("a", 50)).isPresent();
    assertThat(take("b", 40)).isPresent();
    Waiting large = waiting("c", 30);
    Waiting small = waiting("d", 10);

    // When
    large.thread().interrupt();

    // Then
    assertThat(small.share()).isPresent();
  }

  @Test
  void theWaitingRequestsAreLimitedAndATenantGetsHalf() throws Exception {
    // Given
    TenantShares few = new TenantShares(2, 3);
    Share first = few.tryTake("a", 1).orElseThrow();
    Share second = few.tryTake("b", 1).orElseThrow();

    // When
    Waiting ofA = waiting(few, "a", 1);
    Waiting refused = started(few, "a", 1);

    // Then
    assertThat(refused.share()).isEmpty();

    // When
    Waiting ofB = waiting(few, "b", 1);
    Waiting ofC = waiting(few, "c", 1);

    // Then
    assertThat(started(few, "d", 1).share()).isEmpty();
    first.close();
    second.close();
    assertThat(ofA.share()).isPresent();
    assertThat(ofB.share()).isPresent();
    ofA.share().orElseThrow().close();
    assertThat(ofC.share()).isPresent();
  }

  @Test
  void theOnlyShareGoesToAnyTenant() {
    assertThat(new TenantShares(1).tryTake("a", 1)).isPresent();
  }

  /** Asks for a share in a thread of its own. */
  private record Waiting(Thread thread, CompletableFuture<Optional<Share>> result) {
    Optional<Share> share() throws Exception {
      return result.get(30, TimeUnit.SECONDS);
    }
  }

  private Waiting waiting(String tenant, long amount) {
    return waiting(shares, tenant, amount);
  }

  private static Waiting waiting(TenantShares from, String tenant, long amount) {
    Waiting waiting = started(from, tenant, amount);
    await().until(() -> waiting.thread().getState() == Thread.State.TIMED_WAITING);
    return waiting;
  }

  private static Waiting started(TenantShares from, String tenant, long amount) {
    var result = new CompletableFuture<Optional<Share>>();
    Thread thread =
        Thread.ofPlatform()
            .daemon()
            .start(
                () -> {
                  try {
                    result.complete(from.take(tenant, amount, Duration.ofDays(1)));
                  } catch (InterruptedException e) {
                    result.cancel(false);
                  }
                });
    return new Waiting(thread, result);
  }

  private Optional<Share> take(String tenant, long amount) throws InterruptedException {
    return shares.take(tenant, amount, Duration.ZERO);
  }
}
