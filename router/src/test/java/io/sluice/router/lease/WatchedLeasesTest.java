package io.sluice.router.lease;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.common.protocol.LeaseRef;
import io.sluice.router.lease.WatchedLeases.Life;
import java.util.List;
import org.junit.jupiter.api.Test;

class WatchedLeasesTest {
  private static final Life FIRST = new Life("w", "one");
  private static final Life SECOND = new Life("w", "two");

  private final WatchedLeases leases = new WatchedLeases();

  @Test
  void silentLeasesComeLongestFirstAndHeardOnesAreLeftOut() {
    // Given
    for (String request : List.of("a", "b", "c", "d")) {
      leases.give(lease(request, FIRST), -10);
    }
    List.of("c", "a", "b").forEach(request -> leases.heard(request, -5));

    // When
    leases.heard("c", 1);
    leases.heard("b", 2);

    // Then
    assertThat(requests(leases.unacceptedSince(0))).containsExactly("d");
    assertThat(requests(leases.unheardSince(1))).containsExactly("a");
    assertThat(requests(leases.unheardSince(3))).containsExactly("a", "c", "b");
  }

  @Test
  void eachLifeOfAWorkerHasItsOwnUntilTheyEnd() {
    // Given
    leases.give(lease("a", FIRST), 0);
    leases.find(lease("b", FIRST), 0);
    leases.give(lease("a", SECOND), 1);

    // When
    leases.remove("b");

    // Then
    assertThat(leases.lives()).containsExactly(SECOND);
    assertThat(requests(leases.of(SECOND))).containsExactly("a");
    assertThat(leases.of(FIRST)).isEmpty();
    assertThat(leases.unheardSince(9)).isEmpty();
  }

  @Test
  void timeInWhichTheRouterDidNotListenIsNotSilence() {
    // Given
    leases.give(lease("a", FIRST), 0);
    leases.heard("a", 1);
    leases.give(lease("b", FIRST), 1);

    // When
    leases.notListened(5);

    // Then
    assertThat(leases.unheardSince(5)).isEmpty();
    assertThat(requests(leases.unacceptedSince(5))).containsExactly("b");
    assertThat(leases.of("a")).hasValueSatisfying(a -> assertThat(a.isWatched()).isFalse());
  }

  private static LeaseRef lease(String request, Life life) {
    return new LeaseRef(
        request, 1, request + life.incarnation(), life.worker(), life.incarnation());
  }

  private static List<String> requests(List<WatchedLeases.Watched> watched) {
    return watched.stream().map(each -> each.lease().requestId()).toList();
  }
}
