package io.sluice.bench.fleet.autoscale;

import io.sluice.bench.arrival.ArrivalProcess;
import io.sluice.bench.fleet.run.FleetRequest;
import io.sluice.bench.fleet.run.Mix;
import io.sluice.bench.fleet.run.Workload;
import io.sluice.bench.trace.Trace;
import io.sluice.bench.trace.TraceRequest;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;

/**
 * A day of requests in less time: a trace's requests and bursts, of which as many are left out at
 * each time as the hour of the day wants. Night is at both ends, noon in the middle.
 */
final class ScaledDay {
  /** The load of the night, as a share of that of noon. */
  private static final double NIGHT = 0.15;

  private static final int SYNTHETIC_REQUESTS = 20_000;
  private static final double SYNTHETIC_RATE = 5;
  private static final int PROMPT_MEDIAN = 700;
  private static final int OUTPUT_MEDIAN = 150;
  private static final int MOST_PROMPT = 8_000;
  private static final int MOST_OUTPUT = 1_000;

  private ScaledDay() {}

  /** Returns the requests of a day. All of them are measured. */
  static List<FleetRequest> of(Trace trace, double noonRate, Duration length, long seed) {
    List<FleetRequest> all =
        Workload.of(trace, noonRate, new Workload.Length(0, length.toNanos()), seed);
    List<FleetRequest> kept = new ArrayList<>();
    for (FleetRequest request : all) {
      double hour = (double) request.arrivalNanos() / length.toNanos();
      double draw = (Mix.of(seed, request.id()) >>> 11) * 0x1.0p-53;
      if (draw < share(hour)) {
        kept.add(request.withId(kept.size()));
      }
    }
    return kept;
  }

  private static double share(double hour) {
    return NIGHT + (1 - NIGHT) * (1 - Math.cos(2 * Math.PI * hour)) / 2;
  }

  /** Requests of chats without common prompts, for where there is no recorded trace. */
  static Trace synthetic() {
    SplittableRandom random = new SplittableRandom(1);
    List<TraceRequest> requests = new ArrayList<>(SYNTHETIC_REQUESTS);
    double seconds = 0;
    for (int i = 0; i < SYNTHETIC_REQUESTS; i++) {
      seconds += ArrivalProcess.POISSON.gap(random) / SYNTHETIC_RATE;
      requests.add(
          new TraceRequest(
              (long) (seconds * 1e9),
              about(PROMPT_MEDIAN, MOST_PROMPT, random),
              about(OUTPUT_MEDIAN, MOST_OUTPUT, random),
              new long[0]));
    }
    return new Trace("synthetic", requests, false);
  }

  private static int about(int median, int most, SplittableRandom random) {
    return Math.clamp(Math.round(median * Math.exp(random.nextGaussian())), 1, most);
  }
}
