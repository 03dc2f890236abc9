package io.sluice.bench.fleet.run;

import io.sluice.bench.stat.DurationHistogram;
import io.sluice.bench.stat.Samples;
import io.sluice.simulator.engine.LiveSequence;
import java.time.Duration;
import java.util.List;
import java.util.function.Predicate;

/** What the callers of a run see. Not thread-safe. */
public final class Scorecard {
  /** A good answer has its first token within this time after it was sent. */
  public static final double TTFT_MILLIS = 2_000;

  /** After that a good answer takes at most this time between two tokens on average. */
  static final double ITL_MILLIS = 100;

  private final List<FleetRequest> requests;
  private final long[] sentNanos;
  private final long[] lastTokenNanos;
  private final double[] ttftMillis;
  private final double[] itlMillis;
  private final boolean[] finished;
  private final boolean[] refused;
  private final boolean[] lost;
  private final boolean[] resumed;
  private final DurationHistogram gaps = new DurationHistogram();
  private long cachedTokens;
  private long promptTokens;
  private long preemptions;
  private int finishedInAll;
  private int refusedInAll;
  private int lostInAll;
  private long longestGapNanos;
  private final Uninformed.Counter choices = new Uninformed.Counter();

  Scorecard(List<FleetRequest> requests) {
    this.requests = requests;
    this.sentNanos = requests.stream().mapToLong(FleetRequest::arrivalNanos).toArray();
    this.lastTokenNanos = new long[requests.size()];
    this.ttftMillis = new double[requests.size()];
    this.itlMillis = new double[requests.size()];
    this.finished = new boolean[requests.size()];
    this.refused = new boolean[requests.size()];
    this.lost = new boolean[requests.size()];
    this.resumed = new boolean[requests.size()];
  }

  /** Notes that a caller sends a request at another time than its planned arrival. */
  void sent(int id, long nanos) {
    sentNanos[id] = nanos;
  }

  /**
   * Notes a token: when it exists in the engine, and when it reaches the caller. The first token of
   * a stream that another engine has begun comes after a long gap.
   */
  void token(LiveSequence sequence, long endNanos, long latencyNanos) {
    int id = (int) sequence.request().id();
    FleetRequest request = requests.get(id);
    int before = sequence.request().prompt().size() - request.promptTokens();
    int tokens = before + sequence.outputTokens();
    resumed[id] |= before > 0;
    if (tokens == 1) {
      ttftMillis[id] = (endNanos + latencyNanos - sentNanos[id]) / 1e6;
      itlMillis[id] = -endNanos / 1e6;
      if (request.measured()) {
        cachedTokens += sequence.cachedTokens();
        promptTokens += request.promptTokens();
      }
    } else if (request.measured()) {
      gaps.add(endNanos - lastTokenNanos[id]);
      longestGapNanos = Math.max(longestGapNanos, endNanos - lastTokenNanos[id]);
    }
    lastTokenNanos[id] = endNanos;
    if (sequence.finish().isPresent()) {
      itlMillis[id] = tokens == 1 ? 0 : (itlMillis[id] + endNanos / 1e6) / (tokens - 1);
      finished[id] = true;
      finishedInAll++;
      preemptions += request.measured() ? sequence.preemptions() : 0;
    }
  }

  /** Notes that a request was refused. */
  public void refused(int id) {
    if (!refused[id]) {
      refused[id] = true;
      refusedInAll++;
    }
  }

  /** Notes that a request ended with an error because an engine failed. */
  public void lost(int id) {
    if (!lost[id]) {
      lost[id] = true;
      lostInAll++;
    }
  }

  /**
   * Notes a choice of an engine for a prompt of which some engine has cached a part.
   *
   * @param isInformed whether any such part was known
   * @param wereKilled whether all routers had been killed before
   */
  public void chosen(boolean isInformed, boolean wereKilled) {
    choices.chosen(isInformed, wereKilled);
  }

  /** Returns the share of the measured requests without a complete answer within a time. */
  public double missedShare(Duration within) {
    int offered = 0;
    int missed = 0;
    for (FleetRequest request : requests) {
      int id = request.id();
      if (request.measured()) {
        offered++;
        boolean isInTime = finished[id] && lastTokenNanos[id] - sentNanos[id] <= within.toNanos();
        missed += isInTime && !refused[id] ? 0 : 1;
      }
    }
    return missed / Math.max(1.0, offered);
  }

  /** Returns whether it ended with an error, or has a token or soon will. */
  boolean isAnswered(int id) {
    return refused[id] || lost[id] || hasToken(id);
  }

  /** Returns whether it has a token or soon will. */
  public boolean hasToken(int id) {
    return lastTokenNanos[id] > 0;
  }

  /** Returns whether a request got an error instead of an answer. */
  public boolean isRefused(int id) {
    return refused[id];
  }

  /** Returns whether a request has a complete answer. */
  public boolean isFinished(int id) {
    return finished[id];
  }

  /** Returns whether all requests are over. */
  public boolean isComplete() {
    return finishedInAll + refusedInAll + lostInAll >= requests.size();
  }

  /** Returns how many of these requests have no complete answer. */
  public int unfinished(Predicate<FleetRequest> which) {
    return (int) requests.stream().filter(which).filter(request -> !finished[request.id()]).count();
  }

  /** Returns how many requests have a complete answer. */
  public int finishedInAll() {
    return finishedInAll;
  }

  /**
   * Returns the prompt and output tokens of the measured ones among these requests that are
   * answered.
   */
  public long answeredTokens(Predicate<FleetRequest> which) {
    return requests.stream()
        .filter(request -> request.measured() && finished[request.id()] && which.test(request))
        .mapToLong(request -> request.promptTokens() + request.outputTokens())
        .sum();
  }

  /**
   * Returns a percentile of the times to first token in milliseconds, over all requests that had
   * one.
   */
  public double startedTtft(double percent) {
    return startedTtft(percent, any -> true);
  }

  /** Returns the same, over some of the requests. */
  public double startedTtft(double percent, Predicate<FleetRequest> which) {
    Samples ttft = new Samples();
    for (FleetRequest request : requests) {
      if (lastTokenNanos[request.id()] > 0 && which.test(request)) {
        ttft.add(ttftMillis[request.id()]);
      }
    }
    return ttft.percentile(percent);
  }

  /**
   * The results of callers that give up if they have no token after some time.
   *
   * @param tokensPerSecond output tokens of the answers that came
   */
  public record Answered(double errorShare, double tokensPerSecond) {}

  /** Computes the results of callers that give up after a time without a token. */
  public Answered answered(double timeoutMillis, long measuredNanos) {
    int offered = 0;
    int answers = 0;
    long tokens = 0;
    for (FleetRequest request : requests) {
      int id = request.id();
      if (request.measured()) {
        offered++;
        if (finished[id] && ttftMillis[id] <= timeoutMillis) {
          answers++;
          tokens += request.outputTokens();
        }
      }
    }
    return new Answered(1 - answers / Math.max(1.0, offered), tokens * 1e9 / measuredNanos);
  }

  /**
   * Computes the result of the run.
   *
   * @param endNanos when the run ended; a request without a token counts as if it had one then
   * @param measuredNanos for how long measured requests arrived
   */
  public RunResult result(long endNanos, long measuredNanos) {
    Samples ttft = new Samples();
    int offered = 0;
    int good = 0;
    int refusals = 0;
    int late = 0;
    int slow = 0;
    int losses = 0;
    int resumptions = 0;
    for (FleetRequest request : requests) {
      int id = request.id();
      if (!request.measured()) {
        continue;
      }
      offered++;
      if (refused[id]) {
        refusals++;
        continue;
      }
      resumptions += resumed[id] ? 1 : 0;
      if (lost[id]) {
        losses++;
        if (hasToken(id)) {
          ttft.add(ttftMillis[id]);
        }
        continue;
      }
      double first = hasToken(id) ? ttftMillis[id] : (endNanos - sentNanos[id]) / 1e6;
      ttft.add(first);
      boolean isLate = first > TTFT_MILLIS;
      boolean isSlow = !finished[id] || itlMillis[id] > ITL_MILLIS;
      late += isLate ? 1 : 0;
      slow += !isLate && isSlow ? 1 : 0;
      good += isLate || isSlow ? 0 : 1;
    }
    double all = Math.max(1, offered);
    return RunResultBuilder.builder()
        .ttftP50Millis(ttft.percentile(50))
        .ttftP95Millis(ttft.percentile(95))
        .ttftP99Millis(ttft.percentile(99))
        .itlP99Millis(gaps.percentileMillis(99))
        .goodput(good / all)
        .hitRate((double) cachedTokens / Math.max(1, promptTokens))
        .preemptions((double) preemptions)
        .refused(refusals / all)
        .late(late / all)
        .slow(slow / all)
        .offeredPerSecond(offered * 1e9 / measuredNanos)
        .lost(losses / all)
        .resumed(resumptions / all)
        .longestGapMillis(longestGapNanos / 1e6)
        .uninformed(choices.shares())
        .build();
  }
}
