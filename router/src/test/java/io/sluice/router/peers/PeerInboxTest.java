package io.sluice.router.peers;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.common.protocol.Priority;
import io.sluice.fleet.peers.PeerMessage;
import io.sluice.fleet.peers.PeerMessage.AtWorker;
import io.sluice.router.TestWorker;
import io.sluice.router.fleet.FleetSnapshot;
import io.sluice.router.fleet.WorkerView;
import io.sluice.router.policy.Experience;
import io.sluice.router.policy.RequestProfile;
import io.sluice.router.prefix.PrefixChain;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;

class PeerInboxTest {
  private static final long[] BLOCKS = {11, 12, 13};
  private static final long NOW = 1_000;

  private final TestWorker worker = new TestWorker("w1");
  private final PeerLeases leases = new PeerLeases();
  private final Experience experience = new Experience();
  private final PeerTraffic traffic = new PeerTraffic();
  private final PeerInbox inbox = new PeerInbox("us", this::fleet, leases, experience, traffic);

  @Test
  void whatAnotherRouterSentCountsAsLeasesAndWillBeCached() {
    // When
    inbox.accept(new PeerMessage("other", List.of(share("w1", "first"))), NOW);

    // Then
    assertThat(leases.at(view(), NOW)).isEqualTo(new PeerLeases.Unseen(2, 900, 300));
    assertThat(cachedTokens()).isEqualTo(3 * 64);
    assertThat(traffic.received()).isEqualTo(1);
  }

  @Test
  void aRoutersOwnMessagesTellItNothing() {
    // When
    inbox.accept(new PeerMessage("us", List.of(share("w1", "first"))), NOW);

    // Then
    assertThat(leases.at(view(), NOW)).isEqualTo(PeerLeases.Unseen.NONE);
    assertThat(cachedTokens()).isZero();
    assertThat(traffic.received()).isZero();
  }

  @Test
  void whatIsRecalledTellsOfCachesOnlyAndOfThisLifeOfTheWorker() {
    // When
    inbox.recall(share("w1", "before"));
    long beforeItsLife = cachedTokens();
    inbox.recall(share("w1", "first"));

    // Then
    assertThat(beforeItsLife).isZero();
    assertThat(cachedTokens()).isEqualTo(3 * 64);
    assertThat(leases.at(view(), NOW)).isEqualTo(PeerLeases.Unseen.NONE);
    assertThat(traffic.received()).isZero();
  }

  @Test
  void anOldIncarnationDoesNotEmptyTheIndexOfTheNewOne() {
    // Given
    inbox.accept(new PeerMessage("other", List.of(share("w1", "first"))), NOW);

    // When
    inbox.accept(
        new PeerMessage("other", List.of(share("w1", "before"), share("unknown", "first"))), NOW);

    // Then
    assertThat(leases.at(view(), NOW).leases()).isEqualTo(2);
    assertThat(cachedTokens()).isEqualTo(3 * 64);
  }

  @Test
  void anEngineThatIsDownWillHaveNothingCached() {
    // Given
    worker.engineUp(false);

    // When
    inbox.accept(new PeerMessage("other", List.of(share("w1", "first"))), NOW);

    // Then
    assertThat(cachedTokens()).isZero();
  }

  private static AtWorker share(String worker, String incarnation) {
    return new AtWorker(worker, incarnation, 2, 900, 300, 64, AtWorker.encoded(BLOCKS));
  }

  private long cachedTokens() {
    RequestProfile request =
        new RequestProfile(
            "llama",
            "2k",
            1_000,
            100,
            List.of(),
            Priority.INTERACTIVE,
            Set.of(),
            Optional.empty(),
            new PrefixChain(BLOCKS, 64));
    return experience.of(request, NOW).outlook(worker.snapshot(), 0, 0).cachedTokens();
  }

  private WorkerView view() {
    return new WorkerView(worker.snapshot(), 0);
  }

  private FleetSnapshot fleet() {
    return new FleetSnapshot(Map.of("w1", view()), true);
  }
}
