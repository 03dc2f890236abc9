package io.sluice.bench.fleet.balancer;

import io.sluice.bench.fleet.run.EngineNode;
import io.sluice.bench.fleet.run.FleetRequest;
import io.sluice.bench.fleet.run.FleetRun;
import io.sluice.simulator.engine.LiveSequence;
import java.time.Duration;
import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.IntPredicate;
import java.util.stream.IntStream;

/**
 * A proxy with a {@link Balancer}. It forwards a request as soon as the balancer has an engine for
 * it. The others wait in order of arrival, and are refused after a time.
 *
 * <p>When an engine fails, a stream of which the caller has a part is lost, because an HTTP proxy
 * cannot continue it. A request without a token is sent once more, to another engine, as with
 * HAProxy's {@code option redispatch} and {@code retry-on conn-failure empty-response}, or Envoy's
 * {@code retry_on: reset,connect-failure} with {@code previous_hosts}. It is lost if that fails
 * too. The connections to an engine whose process ended are reset at once. Those to a machine that
 * is gone hang until the {@linkplain HealthChecks health checks} find it, and are closed then.
 */
public final class Proxy implements FleetRun.Front {
  private final FleetRun run;
  private final Balancer balancer;
  private final Duration maxWait;
  private final HealthChecks health;
  private final Map<Integer, FleetRequest> waiting = new LinkedHashMap<>();
  private final Map<Integer, Integer> engines = new HashMap<>();

  /** The requests that an engine failed, with that engine. */
  private final Map<Integer, Integer> retried = new HashMap<>();

  /** The requests whose connections hang, by engine. */
  private final Map<Integer, List<Integer>> hanging = new HashMap<>();

  /**
   * A proxy in front of the engines of a run.
   *
   * @param maxWait after which a request that waits is refused
   */
  public Proxy(FleetRun run, Balancer balancer, Duration maxWait) {
    this(run, balancer, maxWait, false);
  }

  private Proxy(FleetRun run, Balancer balancer, Duration maxWait, boolean isToldAtOnce) {
    this.run = run;
    this.balancer = balancer;
    this.maxWait = maxWait;
    this.health = new HealthChecks(run, isToldAtOnce, this::healthChanged);
    if (balancer.scrapeNanos() > 0) {
      run.time().every(0, balancer.scrapeNanos(), this::scrape);
    }
  }

  /** Returns a proxy that knows at once which engines have failed or come back. */
  public static Proxy toldOfFailures(FleetRun run, Balancer balancer, Duration maxWait) {
    return new Proxy(run, balancer, maxWait, true);
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
      refuse(request.id());
    }
  }

  private void refuse(int request) {
    if (retried.containsKey(request)) {
      run.scorecard().lost(request);
    } else {
      run.scorecard().refused(request);
    }
  }

  /** Forwards waiting requests, up to the first one that has to keep waiting. */
  private void forward() {
    Iterator<FleetRequest> inOrder = waiting.values().iterator();
    while (inOrder.hasNext()) {
      FleetRequest request = inOrder.next();
      switch (choice(request)) {
        case Balancer.Choice.Hold() -> {
          return;
        }
        case Balancer.Choice.Refuse() -> {
          inOrder.remove();
          refuse(request.id());
        }
        case Balancer.Choice.Send(int engine) -> {
          inOrder.remove();
          engines.put(request.id(), engine);
          after(() -> connect(engine, request));
        }
      }
    }
  }

  private Balancer.Choice choice(FleetRequest request) {
    int failed = retried.getOrDefault(request.id(), -1);
    IntPredicate usable = engine -> engine != failed && health.isUsable(engine);
    return IntStream.range(0, run.engines().size()).anyMatch(usable)
        ? balancer.pick(request, usable)
        : new Balancer.Choice.Refuse();
  }

  private void connect(int engine, FleetRequest request) {
    EngineNode node = run.engines().get(engine);
    if (node.isUp()) {
      node.submit(request);
    } else if (node.isMachineUp()) {
      after(() -> refused(engine, request.id()));
    } else {
      long timeout = HealthChecks.CONNECT_TIMEOUT.toNanos();
      run.time().at(run.time().nowNanos() + timeout, () -> refused(engine, request.id()));
    }
  }

  private void refused(int engine, int request) {
    health.refused(engine);
    disconnected(engine, request);
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
  public void failed(int engine, List<Integer> requests) {
    if (run.engines().get(engine).isMachineUp()) {
      after(() -> requests.forEach(request -> disconnected(engine, request)));
    } else {
      hanging.put(engine, requests);
    }
    health.failed(engine);
  }

  @Override
  public void cameBack(int engine) {
    closeHanging(engine);
    health.cameBack(engine);
  }

  private void healthChanged(int engine) {
    closeHanging(engine);
    forward();
  }

  private void closeHanging(int engine) {
    List<Integer> hung = hanging.remove(engine);
    if (hung != null) {
      hung.forEach(request -> disconnected(engine, request));
    }
  }

  /** A request has lost its connection to an engine, or did not get one. */
  private void disconnected(int engine, int request) {
    if (!engines.remove(request, engine)) {
      return;
    }
    balancer.ended(engine, run.request(request));
    boolean isAnotherTry =
        !run.scorecard().hasToken(request) && retried.putIfAbsent(request, engine) == null;
    if (isAnotherTry) {
      arrived(run.request(request));
    } else {
      run.scorecard().lost(request);
      forward();
    }
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
      if (run.engines().get(i).isUp()) {
        balancer.scraped(i, run.engines().get(i).stats());
      }
    }
    forward();
  }

  private void after(Runnable arrival) {
    run.time().at(run.time().nowNanos() + run.network().latencyNanos(), arrival);
  }
}
