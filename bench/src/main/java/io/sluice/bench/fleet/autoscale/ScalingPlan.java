package io.sluice.bench.fleet.autoscale;

import io.sluice.bench.fleet.run.FleetRequest;
import java.time.Duration;
import java.util.List;
import java.util.stream.IntStream;

/**
 * How many workers are there in each minute, by somebody who knows all arrivals: as many as the
 * minute's tokens take at a given utilization. A worker that is not needed for less time than a
 * start takes is kept, because that costs less than to start it again; others start so that they
 * are ready in time. Of all plans that keep to this need, it takes the least time of GPUs.
 *
 * @param ready by minute
 */
record ScalingPlan(int[] ready) {
  private static final long MINUTE_NANOS = Duration.ofMinutes(1).toNanos();

  /**
   * Makes the plan of a workload.
   *
   * @param tokensPerSecond the prompt and output tokens that one engine can do
   * @param utilization the part of that which is used, at most
   */
  static ScalingPlan of(
      List<FleetRequest> requests,
      long lengthNanos,
      double tokensPerSecond,
      double utilization,
      int most,
      Duration start) {
    int minutes = (int) Math.ceilDiv(lengthNanos, MINUTE_NANOS);
    double[] tokens = new double[minutes];
    for (FleetRequest request : requests) {
      int minute = (int) Math.min(minutes - 1, request.arrivalNanos() / MINUTE_NANOS);
      tokens[minute] += request.promptTokens() + request.outputTokens();
    }
    double perMinute = tokensPerSecond * 60 * utilization;
    int[] ready = new int[minutes];
    for (int minute = 0; minute < minutes; minute++) {
      ready[minute] = Math.clamp((int) Math.ceil(tokens[minute] / perMinute), 1, most);
    }
    bridge(ready, most, (int) Math.ceilDiv(start.toSeconds(), 60));
    return new ScalingPlan(ready);
  }

  /** Keeps the worker of each level through gaps that are shorter than a start. */
  private static void bridge(int[] ready, int most, int startMinutes) {
    for (int level = 1; level <= most; level++) {
      int last = -1;
      for (int minute = 0; minute < ready.length; minute++) {
        if (ready[minute] >= level) {
          if (last >= 0 && minute - last - 1 <= startMinutes) {
            for (int gap = last + 1; gap < minute; gap++) {
              ready[gap] = Math.max(ready[gap], level);
            }
          }
          last = minute;
        }
      }
    }
  }

  /**
   * Returns how many are to be started or ready at a time, so that all are ready when they are
   * needed.
   */
  int replicas(long nowNanos, Duration start) {
    int from = (int) Math.min(ready.length - 1, nowNanos / MINUTE_NANOS);
    int to = (int) Math.min(ready.length - 1, (nowNanos + start.toNanos()) / MINUTE_NANOS);
    return Math.max(
        ready[from], IntStream.rangeClosed(from, to).map(minute -> ready[minute]).max().orElse(1));
  }
}
