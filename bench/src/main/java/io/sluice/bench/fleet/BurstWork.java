package io.sluice.bench.fleet;

import io.sluice.bench.fleet.balancer.EngineCapacity;
import io.sluice.bench.fleet.run.FleetRequest;
import io.sluice.bench.fleet.run.FleetRun;
import io.sluice.bench.fleet.run.Mix;
import io.sluice.bench.fleet.run.RandomRequests;
import io.sluice.bench.fleet.run.Workload;
import io.sluice.bench.fleet.sluice.BulkFlow;
import io.sluice.bench.fleet.sluice.FrontSettings;
import io.sluice.bench.fleet.sluice.SluiceFront;
import io.sluice.common.protocol.Priority;
import io.sluice.simulator.engine.EngineConfig;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * Interactive requests that come in bursts, alone and together with bulk jobs that all wait from
 * the start and differ in their deadlines.
 *
 * @param bursts when interactive requests come
 * @param bulkPerEngine how many requests the jobs of a scenario have together, per engine
 */
record BurstWork(
    EngineConfig engine, int engines, Bursts bursts, int bulkPerEngine, Duration measured) {
  /** The deadlines of the jobs, from their submission. */
  static final List<Duration> DEADLINES =
      List.of(Duration.ofMinutes(30), Duration.ofHours(2), Duration.ofHours(24));

  private static final Duration AT_MOST = Duration.ofHours(24);

  /**
   * Bursts of half a period each; both rates are of the whole fleet, requests per second.
   *
   * @param rate within a burst
   * @param idleRate between two bursts
   */
  record Bursts(double rate, double idleRate, Duration period) {
    boolean isBurst(long nanos) {
      return nanos % period.toNanos() < period.toNanos() / 2;
    }

    double rateAt(long nanos) {
      return isBurst(nanos) ? rate : idleRate;
    }

    double meanRate() {
      return (rate + idleRate) / 2;
    }

    /** Returns when the burst or the pause ends in which a moment is. */
    long endOfPhase(long nanos) {
      long half = period.toNanos() / 2;
      return (nanos / half + 1) * half;
    }
  }

  /** Which requests run together. */
  enum Scenario {
    ALONE("no job", true, 0, 0),
    MINUTES("a job of 30 min", true, 0, 1),
    HOURS("a job of 2 h", true, 1, 2),
    DAY("a job of 24 h", true, 2, 3),
    ALL("all three jobs", true, 0, 3),
    JOBS("the jobs alone", false, 0, 3);

    private final String label;
    private final boolean hasInteractive;
    private final int firstJob;
    private final int endOfJobs;

    Scenario(String label, boolean hasInteractive, int firstJob, int endOfJobs) {
      this.label = label;
      this.hasInteractive = hasInteractive;
      this.firstJob = firstJob;
      this.endOfJobs = endOfJobs;
    }

    /** Returns the deadlines of its jobs. */
    List<Duration> deadlines() {
      return DEADLINES.subList(firstJob, endOfJobs);
    }

    String label() {
      return label;
    }
  }

  /**
   * What one run gave.
   *
   * @param burstP50Millis time to the first token of the requests that came in bursts
   * @param burstP99Millis the same
   * @param itlP99Millis of interactive requests
   * @param bulkTokensPerSecond output tokens of the jobs in the measured time
   * @param secondsUnsaturated seconds of the measured time in which no bulk request was parked
   * @param endMinutes when each job ended, by deadline
   * @param unanswered requests of the jobs without an answer
   */
  record Result(
      double burstP50Millis,
      double burstP99Millis,
      double itlP99Millis,
      double bulkTokensPerSecond,
      int secondsUnsaturated,
      Map<Duration, Double> endMinutes,
      int unanswered) {
    /** Returns whether the jobs ended in the order of their deadlines. */
    boolean isInOrder() {
      List<Double> ends =
          DEADLINES.stream().filter(endMinutes::containsKey).map(endMinutes::get).toList();
      return ends.equals(ends.stream().sorted().toList());
    }
  }

  /** Returns the share of the fleet's capacity that the interactive requests leave on average. */
  double spareShare(long seed) {
    double capacity =
        EngineCapacity.of(
            count -> {
              var random = new RandomRequests(Mix.of(seed, 5));
              List<FleetRequest> requests = new ArrayList<>();
              for (int i = 0; i < count; i++) {
                requests.add(random.next(i, 0, BulkWork.INTERACTIVE, true));
              }
              return requests;
            },
            engine,
            seed);
    return Math.max(0, 1 - bursts.meanRate() / (capacity * engines));
  }

  Result run(Scenario scenario, long seed) {
    List<FleetRequest> requests = new ArrayList<>();
    if (scenario.hasInteractive) {
      addInteractive(requests, seed);
    }
    Map<Integer, Duration> jobs = addJobs(requests, scenario.deadlines(), seed);
    FleetRun run = new FleetRun(requests, engine, engines, seed);
    SluiceFront front =
        new SluiceFront(
            run,
            Mix.of(seed, 7),
            FrontSettings.STANDARD.withTimeouts(
                request -> jobs.getOrDefault(request.id(), Priority.INTERACTIVE.defaultTimeout())));
    BulkFlow bulk = front.bulk();
    Workload.Length length = length();
    long[] tokens = new long[2];
    run.time().at(length.warmUpNanos(), () -> tokens[0] = bulk.outputTokens());
    run.time().at(length.totalNanos(), () -> tokens[1] = bulk.outputTokens());
    int[] unsaturated = {0};
    Map<Duration, Double> ends = new TreeMap<>();
    run.runToEnd(
        front,
        Duration.ofNanos(length.totalNanos() + 1),
        AT_MOST,
        () -> {
          long now = run.time().nowNanos();
          boolean isMeasured = now > length.warmUpNanos() && now <= length.totalNanos();
          boolean isSaturated = bulk.backlog() > 0 || scenario.deadlines().isEmpty();
          unsaturated[0] += isMeasured && !isSaturated ? 1 : 0;
          for (Duration job : scenario.deadlines()) {
            if (!ends.containsKey(job)
                && run.scorecard().unfinished(request -> job.equals(jobs.get(request.id()))) == 0) {
              ends.put(job, now / 60e9);
            }
          }
        });
    return new Result(
        run.scorecard().startedTtft(50, this::isMeasuredBurst),
        run.scorecard().startedTtft(99, this::isMeasuredBurst),
        run.scorecard().result(run.time().nowNanos(), measured.toNanos()).itlP99Millis(),
        (tokens[1] - tokens[0]) * 1e9 / measured.toNanos(),
        unsaturated[0],
        ends,
        run.scorecard().unfinished(FleetRequest::bulk));
  }

  private boolean isMeasuredBurst(FleetRequest request) {
    return request.measured() && bursts.isBurst(request.arrivalNanos());
  }

  /** A whole period to warm up. */
  private Workload.Length length() {
    return new Workload.Length(bursts.period().toNanos(), measured.toNanos());
  }

  private void addInteractive(List<FleetRequest> requests, long seed) {
    var random = new RandomRequests(seed);
    long warmUp = length().warmUpNanos();
    long nanos = 0;
    while (nanos < length().totalNanos()) {
      long phaseEnd = bursts.endOfPhase(nanos);
      long next = nanos + (long) random.gapNanos(bursts.rateAt(nanos));
      // Arrivals have no memory, so they can begin again with a phase.
      nanos = Math.min(next, phaseEnd);
      if (next < phaseEnd) {
        requests.add(random.next(requests.size(), nanos, BulkWork.INTERACTIVE, nanos >= warmUp));
      }
    }
  }

  /** Adds the requests of the jobs in turn, the latest deadline first; returns their deadlines. */
  private Map<Integer, Duration> addJobs(
      List<FleetRequest> requests, List<Duration> deadlines, long seed) {
    var random = new RandomRequests(Mix.of(seed, 3));
    Map<Integer, Duration> jobs = new HashMap<>();
    for (int i = 0; !deadlines.isEmpty() && i < bulkPerEngine * engines; i++) {
      int id = requests.size();
      jobs.put(id, deadlines.reversed().get(i % deadlines.size()));
      requests.add(random.next(id, 0, BulkWork.BULK, false));
    }
    return jobs;
  }
}
