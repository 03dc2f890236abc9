package io.sluice.router.peers;

import io.sluice.fleet.peers.PeerMessage;
import io.sluice.router.policy.Sending;
import io.sluice.router.thread.BackgroundThreads;
import java.time.Duration;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.event.Level;

/**
 * Tells the other routers what this one has sent, on its own thread. {@link #add} returns at once,
 * whatever happens to Redis; excess messages are dropped. Thread-safe.
 */
public final class PeerOutbox implements AutoCloseable {
  /** Everything sent within this time goes into one message. */
  private static final Duration GATHER = Duration.ofMillis(10);

  private static final int MOST_WAITING = 4_096;
  private static final Logger log = LoggerFactory.getLogger(PeerOutbox.class);

  private final String routerId;
  private final Function<String, PeerBatch.Share> shares;
  private final Function<PeerMessage, CompletionStage<Void>> channel;
  private final LongSupplier nanoClock;
  private final PeerTraffic traffic;
  private final BlockingQueue<Sending> waiting = new ArrayBlockingQueue<>(MOST_WAITING);
  private final Thread thread;

  /** Used by the thread only. */
  private PeerBatch batch = new PeerBatch();

  /** How many sendings were taken for the message that is being made. Used by the thread only. */
  private int taken;

  /** Used by the thread only. */
  private boolean failureNoted;

  /**
   * Creates an outbox that does nothing before {@link #start}.
   *
   * @param shares what the router currently has at a worker
   * @param channel sends a message; its stage completes within a bounded time
   */
  public PeerOutbox(
      String routerId,
      Function<String, PeerBatch.Share> shares,
      Function<PeerMessage, CompletionStage<Void>> channel,
      LongSupplier nanoClock,
      PeerTraffic traffic,
      BackgroundThreads threads) {
    this.routerId = routerId;
    this.shares = shares;
    this.channel = channel;
    this.nanoClock = nanoClock;
    this.traffic = traffic;
    this.thread = threads.dispensable("peer-outbox", this::run);
  }

  /** Starts to send. */
  public PeerOutbox start() {
    thread.start();
    return this;
  }

  /** Something was sent to a worker. Never blocks. */
  public void add(Sending sending) {
    if (!waiting.offer(sending)) {
      traffic.dropped(1);
    }
  }

  @Override
  public void close() {
    thread.interrupt();
  }

  private void run() {
    try {
      batch = new PeerBatch();
      while (!Thread.currentThread().isInterrupted()) {
        tellFrom(waiting.take());
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private void tellFrom(Sending first) throws InterruptedException {
    taken = 0;
    try {
      gather(first);
      tell();
    } catch (RuntimeException | Error e) {
      traffic.dropped(taken);
      throw e;
    }
  }

  private void gather(Sending first) throws InterruptedException {
    addToBatch(first);
    long end = nanoClock.getAsLong() + GATHER.toNanos();
    while (!batch.isFull()) {
      Sending next = waiting.poll(end - nanoClock.getAsLong(), TimeUnit.NANOSECONDS);
      if (next == null) {
        return;
      }
      addToBatch(next);
    }
  }

  private void addToBatch(Sending sending) {
    taken++;
    batch.add(sending);
  }

  /**
   * Waits for completion, so that while Redis is unreachable only one call at a time is made and no
   * backlog builds up.
   */
  private void tell() {
    try {
      channel.apply(batch.take(routerId, shares)).toCompletableFuture().join();
      traffic.publishedOne();
      failureNoted = false;
    } catch (CompletionException e) {
      traffic.dropped(taken);
      log.atLevel(failureNoted ? Level.DEBUG : Level.WARN)
          .log(
              "event=peers_not_told effect=\"routers learn of each other's leases from heartbeats only\" reason=\"{}\"",
              String.valueOf(e.getCause()));
      failureNoted = true;
    }
  }
}
