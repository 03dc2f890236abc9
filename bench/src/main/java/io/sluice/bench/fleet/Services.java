package io.sluice.bench.fleet;

import io.sluice.bench.arrival.ArrivalProcess;
import io.sluice.bench.fleet.balancer.Balancer;
import io.sluice.bench.fleet.run.FleetRequest;
import io.sluice.bench.fleet.run.Mix;
import io.sluice.bench.fleet.run.Workload;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;

/**
 * Makes the requests of services, some of which are busier than others. The prompts of a service
 * begin with the same block. Answers are short, like those of assistants inside other products.
 */
final class Services {
  /** The share of each service in all requests. */
  static final List<Double> SHARES = List.of(0.45, 0.30, 0.15, 0.10);

  static final int SHARED_PROMPT_TOKENS = 512;

  /** The average length; lengths are uniform from half of it to one and a half times it. */
  static final int OWN_PROMPT_TOKENS = 128;

  private final int outputTokens;
  private final SplittableRandom random;

  /**
   * Services whose random numbers follow from a seed.
   *
   * @param outputTokens the average length of answers, spread like that of prompts
   */
  Services(int outputTokens, long seed) {
    this.outputTokens = outputTokens;
    this.random = new SplittableRandom(seed);
  }

  /** Makes requests that arrive independently of each other. */
  List<FleetRequest> independent(double requestsPerSecond, Workload.Length length) {
    List<FleetRequest> requests = new ArrayList<>();
    double nanos = 0;
    while (nanos < length.totalNanos()) {
      nanos += ArrivalProcess.POISSON.gap(random) / requestsPerSecond * 1e9;
      requests.add(request(requests.size(), (long) nanos, service(random.nextDouble()), length));
    }
    return requests;
  }

  /** Makes requests of users in turn. Each user belongs to a service. */
  List<FleetRequest> ofUsers(int users, int requestsEach) {
    List<FleetRequest> requests = new ArrayList<>();
    for (int i = 0; i < users * requestsEach; i++) {
      int service = service((i % users + 0.5) / users);
      requests.add(request(i, 0, service, new Workload.Length(0, Duration.ofDays(1).toNanos())));
    }
    return requests;
  }

  /** Returns the engine of a service if services are tied to engines, evenly. */
  static Balancer owned(int engines) {
    return (request, usable) -> Balancer.Choice.send((int) request.session() % engines);
  }

  private FleetRequest request(int id, long nanos, int service, Workload.Length length) {
    return new FleetRequest(
        id,
        nanos,
        SHARED_PROMPT_TOKENS + around(OWN_PROMPT_TOKENS),
        around(outputTokens),
        new long[] {Mix.of(service, 0), Mix.of(random.nextLong(), 1)},
        service,
        nanos >= length.warmUpNanos(),
        false);
  }

  private int around(int mean) {
    return random.nextInt(mean / 2, mean * 3 / 2 + 1);
  }

  private static int service(double point) {
    double below = 0;
    for (int service = 0; service < SHARES.size() - 1; service++) {
      below += SHARES.get(service);
      if (point < below) {
        return service;
      }
    }
    return SHARES.size() - 1;
  }
}
