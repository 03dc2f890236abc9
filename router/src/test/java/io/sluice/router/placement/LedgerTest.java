package io.sluice.router.placement;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.fleet.peers.PeerMessage.AtWorker;
import io.sluice.router.TestWorker;
import io.sluice.router.fleet.WorkerView;
import io.sluice.router.peers.PeerLeases;
import java.util.Map;
import org.junit.jupiter.api.Test;

class LedgerTest {
  private static final WorkerView WORKER =
      new WorkerView(new TestWorker("w").slots(4).held("other", 1).snapshot(), 0);

  private final PeerLeases peers = new PeerLeases();
  private final Ledger ledger = new Ledger("us", peers);

  @Test
  void slotsThatOthersHaveTakenSinceTheWorkerReportedAreNotTakenTwice() {
    // Given: three in all, of which the worker shows one
    peers.told("other", new AtWorker("w", "first", 3, 300, 0, 64, ""), 1);

    // Then
    assertThat(ledger.tryReserve(WORKER, 100, 2)).isTrue();
    assertThat(ledger.tryReserve(WORKER, 100, 2)).isFalse();
    assertThat(ledger.leasesAt(WORKER, 2)).isEqualTo(4);
  }

  @Test
  void whatWasTakenOverFromAnotherRouterIsNotCountedTwice() {
    // Given
    ledger.restore("w", 50);
    assertThat(ledger.leasesAt(WORKER, 2)).isEqualTo(1);

    // When it ends, before the worker reports that
    ledger.releaseRestored("w", 50);

    // Then
    assertThat(ledger.leasesAt(WORKER, 2)).isEqualTo(1);
  }

  @Test
  void whatThisRouterSentBeforeItsRestartTakesNothingFromTheOthers() {
    // Given
    TestWorker worker = new TestWorker("w").slots(4).held(Map.of("us", 2, "other", 2));
    WorkerView full = new WorkerView(worker.snapshot(), 0);

    // When
    ledger.restore("w", 50);
    ledger.restore("w", 50);

    // Then
    assertThat(ledger.leasesAt(full, 2)).isEqualTo(4);
    assertThat(ledger.tryReserve(full, 100, 2)).isFalse();
  }

  @Test
  void whatWasTakenOverFromAnotherRouterIsNotToldAsOurs() {
    // Given
    ledger.restore("w", 50);
    assertThat(ledger.tryReserve(WORKER, 150, 2)).isTrue();

    // Then
    assertThat(ledger.sentTo("w")).isEqualTo(new Ledger.Reserved(1, 100));

    // When
    ledger.releaseRestored("w", 50);

    // Then
    assertThat(ledger.sentTo("w")).isEqualTo(new Ledger.Reserved(1, 150));

    // When
    ledger.release("w", 150);

    // Then
    assertThat(ledger.sentTo("w")).isEqualTo(Ledger.Reserved.NONE);
  }
}
