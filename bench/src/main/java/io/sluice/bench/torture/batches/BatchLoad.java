package io.sluice.bench.torture.batches;

import io.sluice.bench.gateway.Gateways;
import io.sluice.bench.torture.load.Timeline;
import io.sluice.bench.torture.pool.Engines;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/**
 * Runs the planned batches, each at its time, but at most two at once. Those that would begin after
 * the load's end are left out. Thread-safe.
 */
public final class BatchLoad {
  private static final int AT_ONCE = 2;

  private final List<PlannedBatch> plan;
  private final Duration length;
  private final Engines engines;
  private final Gateways gateways;
  private final List<Thread> clients = Collections.synchronizedList(new ArrayList<>());
  private final List<BatchSession> sessions = Collections.synchronizedList(new ArrayList<>());

  private BatchLoad(List<PlannedBatch> plan, Duration length, Engines engines, Gateways gateways) {
    this.plan = plan;
    this.length = length;
    this.engines = engines;
    this.gateways = gateways;
  }

  /**
   * Plans batches.
   *
   * @param rate batches per second
   * @param gateways are not closed
   */
  public static BatchLoad of(
      long seed, Duration length, double rate, Engines engines, Gateways gateways) {
    return new BatchLoad(BatchPlan.of(seed, length, rate, engines), length, engines, gateways);
  }

  /** No batches. */
  public static BatchLoad none(Engines engines, Gateways gateways) {
    return new BatchLoad(List.of(), Duration.ZERO, engines, gateways);
  }

  /** Starts to run the batches; returns at once. */
  public void start() {
    Timeline pace = Timeline.fromNow();
    for (int client = 0; client < AT_ONCE; client++) {
      int first = client;
      clients.add(Thread.ofVirtual().name("batch-client").start(() -> run(first, pace)));
    }
  }

  private void run(int first, Timeline pace) {
    try {
      for (int number = first; number < plan.size(); number += AT_ONCE) {
        PlannedBatch batch = plan.get(number);
        pace.await(batch.at());
        Duration left = length.minusNanos(System.nanoTime() - pace.startNanos());
        if (left.isNegative()) {
          return;
        }
        sessions.add(session(batch, number, left.plus(limit())));
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private BatchSession session(PlannedBatch batch, int number, Duration limit)
      throws InterruptedException {
    try {
      return new BatchClient(batch, gateways, number, limit).run();
    } catch (RuntimeException e) {
      return BatchSession.failed(batch, e);
    }
  }

  /**
   * Returns how long a batch may take once there is no other load, for which its lines wait. If a
   * gateway dies, another one takes over after 10 s.
   */
  Duration limit() {
    return engines.patience().multipliedBy(2);
  }

  /** Waits until all clients have their results, or have given up. */
  public void await() throws InterruptedException {
    for (Thread client : List.copyOf(clients)) {
      client.join();
    }
  }

  /** Tells the clients to end. */
  public void stop() {
    List.copyOf(clients).forEach(Thread::interrupt);
  }

  List<BatchSession> sessions() {
    return List.copyOf(sessions);
  }

  Gateways gateways() {
    return gateways;
  }
}
