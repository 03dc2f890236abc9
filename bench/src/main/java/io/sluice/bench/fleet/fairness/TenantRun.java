package io.sluice.bench.fleet.fairness;

import io.sluice.bench.fleet.balancer.Balancers;
import io.sluice.bench.fleet.balancer.EngineCapacity;
import io.sluice.bench.fleet.balancer.Proxy;
import io.sluice.bench.fleet.run.FleetRequest;
import io.sluice.bench.fleet.run.FleetRun;
import io.sluice.bench.fleet.run.Mix;
import io.sluice.bench.fleet.run.RandomRequests;
import io.sluice.bench.fleet.run.RandomRequests.Usual;
import io.sluice.bench.fleet.run.Scorecard;
import io.sluice.bench.fleet.run.Workload;
import io.sluice.bench.fleet.sluice.FrontSettings;
import io.sluice.bench.fleet.sluice.SluiceFront;
import io.sluice.simulator.engine.EngineConfig;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Predicate;
import java.util.stream.IntStream;

/** Lets several tenants send requests to one fleet, at random times. Thread-safe. */
final class TenantRun {
  private final EngineConfig engine;
  private final int engines;
  private final Workload.Length length;
  private final Map<Usual, Double> capacities = new ConcurrentHashMap<>();

  /** Who distributes the requests. */
  enum Way {
    /** Sluice, which knows the tenants. */
    SLUICE("sluice"),
    /** Sluice, to which all requests are of one tenant. */
    ONE_TENANT("sluice, as one tenant"),
    /** A proxy that sends each request to the engine with the fewest. */
    LEAST_REQUESTS("least-requests");

    private final String label;

    Way(String label) {
      this.label = label;
    }

    String label() {
      return label;
    }
  }

  /**
   * What a tenant got.
   *
   * @param answeredTokens prompt and output tokens of the measured requests that were answered
   * @param ttftP95Millis over the measured requests that had a token; not a number if none was
   *     answered
   * @param offered the measured requests
   * @param unanswered those of them without an answer
   */
  record Share(long answeredTokens, double ttftP95Millis, int offered, int unanswered) {}

  private record Arrival(long nanos, String tenant, Usual usual) {}

  TenantRun(EngineConfig engine, int engines, Workload.Length length) {
    this.engine = engine;
    this.engines = engines;
    this.length = length;
  }

  /** Runs the loads together. Returns what each tenant got, in their order. */
  List<Share> run(Way way, List<TenantLoad> loads, long seed) {
    List<FleetRequest> requests = new ArrayList<>();
    List<String> tenants = new ArrayList<>();
    RandomRequests random = new RandomRequests(Mix.of(seed, 2));
    for (Arrival arrival : arrivals(loads, seed)) {
      boolean isMeasured = arrival.nanos() >= length.warmUpNanos();
      requests.add(random.next(requests.size(), arrival.nanos(), arrival.usual(), isMeasured));
      tenants.add(arrival.tenant());
    }
    FleetRun run = new FleetRun(requests, engine, engines, seed);
    FleetRun.Front front =
        switch (way) {
          case SLUICE ->
              new SluiceFront(
                  run,
                  seed,
                  FrontSettings.STANDARD.withTenants(request -> tenants.get(request.id())));
          case ONE_TENANT -> new SluiceFront(run, seed, FrontSettings.STANDARD);
          case LEAST_REQUESTS ->
              new Proxy(run, new Balancers.LeastRequests(engines), FrontSettings.DEFAULT_MAX_WAIT);
        };
    var _ = run.run(front, length);
    return loads.stream()
        .map(load -> share(run.scorecard(), requests, isOf(load.tenant(), tenants)))
        .toList();
  }

  private static Predicate<FleetRequest> isOf(String tenant, List<String> tenants) {
    return request -> request.measured() && tenants.get(request.id()).equals(tenant);
  }

  private static Share share(
      Scorecard scorecard, List<FleetRequest> requests, Predicate<FleetRequest> which) {
    int offered = (int) requests.stream().filter(which).count();
    int unanswered = scorecard.unfinished(which);
    return new Share(
        scorecard.answeredTokens(which),
        unanswered < offered ? scorecard.startedTtft(95, which) : Double.NaN,
        offered,
        unanswered);
  }

  private List<Arrival> arrivals(List<TenantLoad> loads, long seed) {
    List<Arrival> arrivals = new ArrayList<>();
    for (TenantLoad load : loads) {
      RandomRequests random = new RandomRequests(Mix.of(seed, load.tenant().hashCode()));
      double perSecond = load.load() * engines * capacity(load.usual());
      double nanos = random.gapNanos(perSecond);
      while (nanos < length.totalNanos()) {
        arrivals.add(new Arrival((long) nanos, load.tenant(), load.usual()));
        nanos += random.gapNanos(perSecond);
      }
    }
    arrivals.sort(Comparator.comparingLong(Arrival::nanos));
    return arrivals;
  }

  /** Requests per second of an engine that has no others. */
  private double capacity(Usual usual) {
    return capacities.computeIfAbsent(
        usual, any -> EngineCapacity.of(count -> requests(usual, count), engine, 1));
  }

  private static List<FleetRequest> requests(Usual usual, int count) {
    RandomRequests random = new RandomRequests(1);
    return IntStream.range(0, count).mapToObj(id -> random.next(id, 0, usual, true)).toList();
  }
}
