package io.sluice.bench.fleet.run;

import io.sluice.bench.trace.Trace;
import io.sluice.bench.trace.TraceRequest;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.SplittableRandom;

/**
 * The requests of one run, made from as many copies of a trace as a rate needs. Each copy starts at
 * a random position, so that bursts do not coincide, and has its own block ids, so that copies
 * share nothing. A copy takes exactly its share of the requests, in the trace's order, and its
 * times are stretched to the run's length. So every run of a rate offers the same number of
 * requests, with the burstiness of the trace.
 */
public final class Workload {
  private static final int SESSION_BLOCKS = 2;

  private Workload() {}

  /** The length of a run. Requests that arrive in the warm-up are not measured. */
  public record Length(long warmUpNanos, long measuredNanos) {
    /** Returns the warm-up and the measured time. */
    public long totalNanos() {
      return warmUpNanos + measuredNanos;
    }
  }

  /** Returns the requests of a run, in the order of arrival. */
  public static List<FleetRequest> of(
      Trace trace, double requestsPerSecond, Length length, long seed) {
    SplittableRandom random = new SplittableRandom(seed);
    int copies = (int) Math.max(1, Math.round(requestsPerSecond / trace.rate()));
    int count = (int) Math.max(copies, requestsPerSecond * length.totalNanos() / 1e9);
    List<Arrival> arrivals = new ArrayList<>(count);
    for (int copy = 0; copy < copies; copy++) {
      int share = count * (copy + 1) / copies - count * copy / copies;
      addCopy(trace, copy, share, length.totalNanos(), random, arrivals);
    }
    arrivals.sort(Comparator.comparingLong(Arrival::nanos));
    List<FleetRequest> requests = new ArrayList<>(count);
    for (Arrival arrival : arrivals) {
      requests.add(
          arrival.toRequest(requests.size(), arrival.nanos() >= length.warmUpNanos(), seed));
    }
    return requests;
  }

  /**
   * Makes a number of requests from as many copies, for callers that send the next one after an
   * answer.
   */
  public static List<FleetRequest> inOrder(Trace trace, int copies, int count, long seed) {
    double rate = copies * trace.rate();
    return of(trace, rate, new Length(0, (long) (count / rate * 1e9)), seed);
  }

  private record Arrival(long nanos, int copy, TraceRequest recorded) {
    FleetRequest toRequest(int id, boolean measured, long seed) {
      long[] blocks = new long[Math.ceilDiv(recorded.promptTokens(), Trace.BLOCK_TOKENS)];
      boolean isOwn = recorded.blocks().length == 0;
      for (int i = 0; i < blocks.length; i++) {
        blocks[i] =
            isOwn ? Mix.of(Mix.of(seed, -1 - id), i) : Mix.of(copy + 1, recorded.blocks()[i]);
      }
      return new FleetRequest(
          id,
          nanos,
          recorded.promptTokens(),
          recorded.outputTokens(),
          blocks,
          recorded.session() == 0 ? beginning(blocks) : Mix.of(-1 - copy, recorded.session()),
          measured,
          false);
    }

    /** Returns what stands for the session of a request that names none. */
    private static long beginning(long[] blocks) {
      long session = blocks[0];
      for (int i = 1; i < Math.min(SESSION_BLOCKS, blocks.length); i++) {
        session = Mix.of(session, blocks[i]);
      }
      return session;
    }
  }

  private static void addCopy(
      Trace trace,
      int copy,
      int share,
      long lengthNanos,
      SplittableRandom random,
      List<Arrival> arrivals) {
    List<TraceRequest> all = trace.requests();
    int start = random.nextInt(all.size());
    long wrap = trace.spanNanos() + trace.spanNanos() / all.size();
    long tick = Math.max(1, trace.tickNanos());
    long[] times = new long[share + 1];
    for (int i = 0; i <= share; i++) {
      int at = start + i;
      times[i] =
          all.get(at % all.size()).arrivalNanos() + at / all.size() * wrap + random.nextLong(tick);
    }
    long first = times[0];
    for (long time : times) {
      first = Math.min(first, time);
    }
    // The request after the last one defines the gap after the last one.
    double stretch = (double) lengthNanos / Math.max(1, times[share] - first);
    for (int i = 0; i < share; i++) {
      long nanos = Math.min(lengthNanos - 1, (long) ((times[i] - first) * stretch));
      arrivals.add(new Arrival(nanos, copy, all.get((start + i) % all.size())));
    }
  }
}
