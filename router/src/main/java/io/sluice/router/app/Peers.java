package io.sluice.router.app;

import io.sluice.fleet.breaker.BreakerState;
import io.sluice.fleet.peers.PeerChannel;
import io.sluice.fleet.peers.PeerMessage;
import io.sluice.fleet.peers.SentHistory;
import io.sluice.router.fleet.FleetSnapshot;
import io.sluice.router.fleet.FleetWatcher;
import io.sluice.router.peers.CacheRecall;
import io.sluice.router.peers.PeerBatch;
import io.sluice.router.peers.PeerInbox;
import io.sluice.router.peers.PeerLeases;
import io.sluice.router.peers.PeerOutbox;
import io.sluice.router.peers.PeerTraffic;
import io.sluice.router.placement.Ledger;
import io.sluice.router.policy.Experience;
import io.sluice.router.thread.BackgroundThreads;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What one router process knows about the workers from its own requests, and the exchange of that
 * with other routers. Thread-safe.
 */
final class Peers implements AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(Peers.class);

  private final String routerId;
  private final PeerChannel channel;
  private final PeerLeases leases = new PeerLeases();
  private final PeerTraffic traffic = new PeerTraffic();
  private final Ledger ledger;
  private final PeerOutbox outbox;
  private final CacheRecall recall;
  private final Experience experience;
  private final Deque<AutoCloseable> started = new ArrayDeque<>();

  /** Creates an instance that sends and receives nothing before {@link #start}. */
  Peers(String routerId, PeerChannel channel, SentHistory history, BackgroundThreads threads) {
    this.routerId = routerId;
    this.channel = channel;
    this.recall = new CacheRecall(history);
    this.ledger = new Ledger(routerId, leases);
    this.outbox =
        new PeerOutbox(routerId, this::share, this::tell, System::nanoTime, traffic, threads);
    this.experience = new Experience(outbox::add);
  }

  /** Starts to send and receive. Call this once. */
  void start(Supplier<FleetSnapshot> fleet) {
    var inbox = new PeerInbox(routerId, fleet, leases, experience, traffic);
    started.push(channel.subscribe(message -> inbox.accept(message, System.nanoTime())));
    started.push(outbox.start());
    started.push(recall);
    recall.start(inbox::recall);
  }

  Ledger ledger() {
    return ledger;
  }

  Experience experience() {
    return experience;
  }

  /** Recalls what a worker has cached, and forgets what was sent to an engine that is down. */
  FleetWatcher watcher() {
    return new FleetWatcher() {
      @Override
      public void appeared(String workerId, BreakerState breaker) {
        recall.appeared(workerId);
      }

      @Override
      public void engineDown(String workerId) {
        experience.engineDown(workerId);
        recall.engineDown(workerId);
      }
    };
  }

  PeerTraffic traffic() {
    return traffic;
  }

  private CompletionStage<Void> tell(PeerMessage message) {
    return CompletableFuture.allOf(
        channel.publish(message).toCompletableFuture(), recall.keep(message).toCompletableFuture());
  }

  private PeerBatch.Share share(String worker) {
    Ledger.Reserved sent = ledger.sentTo(worker);
    return new PeerBatch.Share(sent.leases(), sent.tokens(), experience.unstartedTokens(worker));
  }

  @Override
  public void close() {
    while (!started.isEmpty()) {
      try {
        started.pop().close();
      } catch (Exception e) {
        log.info("event=peers_unsubscribe_failed reason=\"{}\"", e.getMessage());
      }
    }
  }
}
