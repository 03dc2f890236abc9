package io.sluice.router.report;

import io.sluice.fleet.peers.RouterReport.Demand;
import java.util.List;
import java.util.OptionalDouble;
import java.util.SortedMap;

/**
 * What the open requests of the whole pool ask of workers, for autoscalers. Whole numbers are
 * rounded up, so that what is left of something is never taken for nothing.
 *
 * @param ageMillis the age of the oldest report that was added up
 * @param routers the number of reports
 * @param partitions of the pool, all of which are in the reports
 * @param workers that are alive, of any model
 */
record PoolSignals(
    long ageMillis,
    int routers,
    int partitions,
    int workers,
    Traffic interactive,
    Traffic bulk,
    SortedMap<String, Model> models) {

  /** The part of one model. */
  record Model(int workers, Traffic interactive, Traffic bulk, SortedMap<String, Tier> tiers) {}

  /** The part of one model and tier. */
  record Tier(int workers, Traffic interactive, Traffic bulk) {}

  /**
   * Interactive and urgent requests, or bulk. Tokens are prompts and expected outputs together.
   *
   * @param tokens of all waiting and running requests
   * @param waitingRequests the requests that wait for a worker, parked bulk included
   * @param runningRequests the requests that workers have
   * @param tokensPerSecond of what was answered lately
   * @param neededTokensPerSecond the speed at which all of it ends by its deadlines
   * @param slackSeconds the time until the earliest deadline of a waiting request; empty if none
   *     waits
   * @param drainSeconds the time to answer all waiting requests at the present speed; empty if
   *     requests wait and none was answered lately
   */
  record Traffic(
      long tokens,
      long waitingRequests,
      long waitingTokens,
      long runningRequests,
      long runningTokens,
      long tokensPerSecond,
      long neededTokensPerSecond,
      OptionalDouble slackSeconds,
      OptionalDouble drainSeconds) {

    static Traffic sum(List<Demand> parts) {
      long waiting = parts.stream().mapToLong(Demand::waitingTokens).sum();
      long running = parts.stream().mapToLong(Demand::runningTokens).sum();
      double speed = parts.stream().mapToDouble(Demand::tokensPerSecond).sum();
      double needed = parts.stream().mapToDouble(Demand::neededTokensPerSecond).sum();
      return new Traffic(
          waiting + running,
          parts.stream().mapToLong(Demand::waitingRequests).sum(),
          waiting,
          parts.stream().mapToLong(Demand::runningRequests).sum(),
          running,
          (long) Math.ceil(speed),
          (long) Math.ceil(needed),
          parts.stream()
              .flatMapToLong(part -> part.slackMillis().stream())
              .mapToDouble(millis -> millis / 1e3)
              .min(),
          Demand.drainSeconds(waiting, speed));
    }
  }
}
