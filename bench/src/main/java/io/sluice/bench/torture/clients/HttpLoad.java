package io.sluice.bench.torture.clients;

import io.sluice.bench.gateway.Gateways;
import io.sluice.bench.torture.batches.BatchLoad;
import io.sluice.bench.torture.load.LoadGenerator;
import io.sluice.bench.torture.load.Timeline;
import io.sluice.bench.torture.pool.Engines;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;

/** Runs the HTTP clients of a run, each at its time and on its own thread. Thread-safe. */
public final class HttpLoad implements AutoCloseable {
  /** How many batches there are for each client. */
  private static final double BATCH_SHARE = 0.12;

  private final List<PlannedClient> plan;
  private final BatchLoad batches;
  private final Gateways gateways;
  private final Engines engines;
  private final List<Thread> clients = Collections.synchronizedList(new ArrayList<>());
  private final List<ClientSession> sessions = Collections.synchronizedList(new ArrayList<>());

  /**
   * Plans clients and batches; no gateways means neither.
   *
   * @param rate clients per second
   */
  public HttpLoad(long seed, Duration length, double rate, Engines engines, Gateways gateways) {
    this(
        gateways.count() == 0 ? List.of() : ClientPlan.of(seed, length, rate, engines),
        gateways.count() == 0
            ? BatchLoad.none(engines, gateways)
            : BatchLoad.of(seed, length, rate * BATCH_SHARE, engines, gateways),
        engines,
        gateways);
  }

  private HttpLoad(
      List<PlannedClient> plan, BatchLoad batches, Engines engines, Gateways gateways) {
    this.plan = plan;
    this.batches = batches;
    this.engines = engines;
    this.gateways = gateways;
  }

  /** Plans clients that all create and read a background response, within some seconds. */
  public static HttpLoad responses(long seed, int count, Engines engines, Gateways gateways) {
    return new HttpLoad(
        ClientPlan.responses(seed, count, engines),
        BatchLoad.none(engines, gateways),
        engines,
        gateways);
  }

  /** Starts to run the clients; returns at once. */
  public void start() {
    Timeline pace = Timeline.fromNow();
    for (PlannedClient client : plan) {
      clients.add(Thread.ofVirtual().name("http-client").start(() -> run(client, pace)));
    }
    batches.start();
  }

  private void run(PlannedClient client, Timeline pace) {
    try {
      pace.await(client.at());
      sessions.add(
          new ClientRun(client, gateways, engines.patience())
              .run(engines.patience().plus(engines.firstWithin())));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** Waits until all clients have their answers, or have given up. */
  public void await() throws InterruptedException {
    for (Thread client : List.copyOf(clients)) {
      client.join();
    }
    batches.await();
  }

  /** Returns the requests of all clients that know an id, without those of batches. */
  public List<LoadGenerator.Sent> sent() {
    return sessions().stream()
        .map(session -> session.sent(engines.patience()))
        .flatMap(Optional::stream)
        .toList();
  }

  /** Returns how many clients of the plan ended without a session. */
  int missing() {
    return plan.size() - sessions.size();
  }

  List<ClientSession> sessions() {
    return List.copyOf(sessions);
  }

  BatchLoad batches() {
    return batches;
  }

  Gateways gateways() {
    return gateways;
  }

  @Override
  public void close() {
    List.copyOf(clients).forEach(Thread::interrupt);
    batches.stop();
    gateways.close();
  }
}
