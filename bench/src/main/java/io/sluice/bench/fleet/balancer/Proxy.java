package io.sluice.bench.fleet.balancer;

import io.sluice.bench.fleet.run.FleetRequest;
import io.sluice.bench.fleet.run.FleetRun;
import io.sluice.simulator.engine.LiveSequence;
import java.time.Duration;
import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * A proxy with a {@link Balancer}. It forwards a request as soon as the balancer has an engine for
 * it. The others wait in order of arrival, and are refused after a time.
 */
public final class Proxy implements FleetRun.Front {
  private final FleetRun run;
  private final Balancer balancer;
  private final Duration maxWait;
  private final Map<Integer, FleetRequest> waiting = new LinkedHashMap<>();
  private final Map<Integer, Integer> engines = new HashMap<>();

  /**
   * A proxy in front of the engines of a run.
   *
   * @param maxWait after which a request that waits is refused
   */
  public Proxy(FleetRun run, Balancer balancer, Duration maxWait) {
    this.run = run;
    this.balancer = balancer;
    this.maxWait = maxWait;
    if (balancer.scrapeNanos() > 0) {
      run.time().every(0, balancer.scrapeNanos(), this::scrape);
    }
  }

  @Override
  public void send(FleetRequest request) {
    after(() -> arrived(request));
  }

  private void arrived(FleetRequest request) {
    waiting.put(request.id(), request);
    forward();
    if (waiting.containsKey(request.id())) {
      run.time().at(run.time().nowNanos() + maxWait.toNanos(), () -> expire(request));
    }
  }

  private void expire(FleetRequest request) {
    if (waiting.remove(request.id()) != null) {
      run.scorecard().refused(request.id());
    }
  }

  /** Forwards what waits, up to the first request that has to go on waiting. */
  private void forward() {
    Iterator<FleetRequest> inOrder = waiting.values().iterator();
    while (inOrder.hasNext()) {
      FleetRequest request = inOrder.next();
      switch (balancer.pick(request)) {
        case Balancer.Choice.Hold() -> {
          return;
        }
        case Balancer.Choice.Refuse() -> {
          inOrder.remove();
          run.scorecard().refused(request.id());
        }
        case Balancer.Choice.Send(int engine) -> {
          inOrder.remove();
          engines.put(request.id(), engine);
          after(() -> run.engines().get(engine).submit(request));
        }
      }
    }
  }

  @Override
  public void started(int engine, int request, int cachedTokens) {}

  @Override
  public void token(int engine, LiveSequence sequence, long endNanos) {
    balancer.token(engine, sequence);
  }

  @Override
  public void finished(int engine, int request) {
    after(() -> ended(request));
  }

  @Override
  public void givenUp(int request) {
    after(
        () -> {
          waiting.remove(request);
          Integer engine = engines.get(request);
          if (engine != null) {
            run.engines().get(engine).abort(request);
          }
          ended(request);
        });
  }

  private void ended(int request) {
    Integer engine = engines.remove(request);
    if (engine != null) {
      balancer.ended(engine, run.request(request));
      forward();
    }
  }

  private void scrape() {
    for (int i = 0; i < run.engines().size(); i++) {
      balancer.scraped(i, run.engines().get(i).stats());
    }
    forward();
  }

  private void after(Runnable arrival) {
    run.time().at(run.time().nowNanos() + run.network().latencyNanos(), arrival);
  }
}
