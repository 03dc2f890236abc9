package io.sluice.router.schedule;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.common.protocol.Assignment;
import io.sluice.common.protocol.LeaseRef;
import io.sluice.common.protocol.Outcome;
import io.sluice.router.TestWorker;
import io.sluice.router.fleet.WorkerView;
import io.sluice.router.peers.PeerBatch;
import io.sluice.router.peers.PeerInbox;
import io.sluice.router.peers.PeerTraffic;
import io.sluice.router.placement.Ledger;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Two routers of one pool, with workers that say every 240 ms what they hold. */
@Tag("slow")
class SeveralRoutersTest {
  private static final Duration STEP = Duration.ofMillis(1);

  @Test
  void routersThatTellEachOtherDoNotOverrunTheWorkersInABurst() {
    // Given
    Pool silent = new Pool(4, 64, false);
    Pool telling = new Pool(4, 64, true);

    // When: 400 requests in 100 ms, for 256 slots
    silent.burst(400, 4);
    telling.burst(400, 4);

    // Then
    assertThat(silent.recentHandBacks).isGreaterThan(300);
    assertThat(telling.recentHandBacks).isLessThan(silent.recentHandBacks / 10);
    assertThat(telling.completed).isEqualTo(400);
  }

  @Test
  void ofABurstInOneMomentEachRequestIsHandedBackOnceAtMost() {
    // Given
    Pool silent = new Pool(4, 64, false);
    Pool telling = new Pool(4, 64, true);

    // When: 400 requests before anybody can hear of any, for 256 slots
    silent.burst(400, 400);
    telling.burst(400, 400);

    // Then
    assertThat(telling.recentHandBacks).isEqualTo(400 - 256);
    assertThat(silent.recentHandBacks).isGreaterThan(3 * telling.recentHandBacks);
  }

  @Test
  void aFullPoolIsKeptAsBusyAsBefore() {
    // Given: answers of 400 ms, so that slots are free for a moment only
    Pool silent = new Pool(4, 16, false);
    Pool telling = new Pool(4, 16, true);
    silent.answerMillis = 400;
    telling.answerMillis = 400;

    // When
    silent.burst(800, 4);
    telling.burst(800, 4);

    // Then
    assertThat(telling.millis).isLessThan(silent.millis * 11 / 10);
    assertThat(telling.recentHandBacks).isLessThanOrEqualTo(silent.recentHandBacks);
  }

  @Test
  void whatARouterToldBeforeItDiedIsForgottenInASecond() {
    // Given
    Pool pool = new Pool(1, 4, true);
    pool.burst(4, 4);
    Node dying = pool.nodes.getFirst();
    Node other = pool.nodes.getLast();
    pool.workersGetNothing = true;
    dying.request("lost-a");
    dying.request("lost-b");
    pool.pass(20);
    WorkerView view = other.router.fleet().worker("w0").orElseThrow();
    int told = other.router.parts().ledger().leasesAt(view, other.router.now().nanos());

    // When
    pool.nodes.remove(dying);
    pool.pass(1_000);

    // Then
    WorkerView later = other.router.fleet().worker("w0").orElseThrow();
    assertThat(told).isEqualTo(2);
    assertThat(other.router.parts().ledger().leasesAt(later, other.router.now().nanos())).isZero();
  }

  /** A router with one task, and the last step up to which its assignments have been delivered. */
  private static final class Node {
    final VirtualRouter router;
    final VirtualTask task;
    final PeerBatch batch = new PeerBatch();
    final PeerInbox inbox;
    int delivered;

    Node(String id, long seed) {
      router = new VirtualRouter(id, seed);
      inbox =
          new PeerInbox(
              id,
              router::fleet,
              router.peerLeases,
              router.parts().routing().experience(),
              new PeerTraffic());
      task = router.settledTask();
    }

    void request(String id) {
      task.request(new TestRequest(id).deadlineMillis(600_000));
    }

    PeerBatch.Share share(String worker) {
      Ledger.Reserved sent = router.parts().ledger().sentTo(worker);
      return new PeerBatch.Share(
          sent.leases(),
          sent.tokens(),
          router.parts().routing().experience().unstartedTokens(worker));
    }
  }

  private record Due(long atMillis, Runnable event) {}

  /** Workers, routers, and what is on its way between them. */
  private static final class Pool {
    private static final int ASSIGNMENT_MILLIS = 8;
    private static final int OUTCOME_MILLIS = 8;
    private static final int GATHER_MILLIS = 10;
    private static final int MESSAGE_MILLIS = 2;

    final List<Node> nodes = new ArrayList<>();
    private final List<TestWorker> workers = new ArrayList<>();
    private final Map<String, Map<String, Integer>> held = new HashMap<>();
    private final List<Due> onTheWay = new ArrayList<>();
    private final int slots;
    private final boolean isTelling;
    boolean workersGetNothing;
    long answerMillis = 2_000;
    long millis;
    int recentHandBacks;
    int completed;

    Pool(int count, int slots, boolean isTelling) {
      this.slots = slots;
      this.isTelling = isTelling;
      nodes.add(new Node("a", 1));
      nodes.add(new Node("b", 2));
      for (int number = 0; number < count; number++) {
        TestWorker worker = new TestWorker("w" + number).slots(slots);
        workers.add(worker);
        held.put(worker.id(), new HashMap<>());
        nodes.forEach(node -> node.router.join(worker));
      }
    }

    /** Sends requests to the routers in turn, so many a millisecond, until all are answered. */
    void burst(int requests, int perMilli) {
      for (int sent = 0; completed < requests; ) {
        for (int i = 0; i < perMilli && sent < requests; i++, sent++) {
          nodes.get(sent % 2).request("r" + sent);
        }
        pass(1);
        assertThat(millis).isLessThan(120_000);
      }
    }

    void pass(long duration) {
      for (long passed = 0; passed < duration; passed++) {
        millis++;
        List<Due> due = onTheWay.stream().filter(each -> each.atMillis() <= millis).toList();
        onTheWay.removeAll(due);
        due.forEach(each -> each.event().run());
        // What a worker says shows only at its heartbeat, which the routers' clocks cause.
        if ((nodes.getLast().router.elapsedMillis() + 1) % 240 == 0) {
          workers.forEach(worker -> worker.held(Map.copyOf(held.get(worker.id()))));
        }
        nodes.forEach(node -> node.router.pass(STEP, STEP));
        nodes.forEach(this::deliver);
        if (isTelling && millis % GATHER_MILLIS == 0) {
          nodes.forEach(this::tell);
        }
      }
    }

    private void deliver(Node node) {
      List<Assignment> assigned = node.task.effects.assigned;
      for (; node.delivered < assigned.size(); node.delivered++) {
        LeaseRef lease = assigned.get(node.delivered).lease();
        in(ASSIGNMENT_MILLIS, () -> arrive(node, lease));
      }
    }

    private void arrive(Node node, LeaseRef lease) {
      Map<String, Integer> leases = held.get(lease.worker());
      if (workersGetNothing) {
        return;
      }
      if (leases.values().stream().mapToInt(count -> count).sum() >= slots) {
        recentHandBacks++;
        report(node, lease, new Outcome.Returned(Outcome.ReturnReason.NO_SLOT, 0));
        return;
      }
      leases.merge(node.router.parts().ledger().routerId(), 1, Integer::sum);
      report(node, lease, new Outcome.Accepted());
      report(node, lease, VirtualTask.started(10));
      for (long after = 1_000; after < answerMillis; after += 1_000) {
        in(after, () -> report(node, lease, new Outcome.Progress(1)));
      }
      in(
          answerMillis,
          () -> {
            leases.merge(node.router.parts().ledger().routerId(), -1, Integer::sum);
            completed++;
            report(node, lease, VirtualTask.completed());
          });
    }

    private void report(Node node, LeaseRef lease, Outcome.Event event) {
      in(OUTCOME_MILLIS, () -> node.task.outcome(lease, event));
    }

    private void tell(Node node) {
      if (!node.router.sendings.isEmpty()) {
        node.router.sendings.forEach(node.batch::add);
        node.router.sendings.clear();
        var message = node.batch.take(node.router.parts().ledger().routerId(), node::share);
        in(
            MESSAGE_MILLIS,
            () -> nodes.forEach(peer -> peer.inbox.accept(message, peer.router.now().nanos())));
      }
    }

    private void in(long afterMillis, Runnable event) {
      onTheWay.add(new Due(millis + afterMillis, event));
    }
  }
}
