package io.sluice.worker.limit;

import java.util.ArrayDeque;
import java.util.Deque;

/**
 * Limits the number of requests that a worker lets into its engine at the same time. Other requests
 * wait in the router, where they can still be reordered and sent to other workers.
 *
 * <p>Every window tells how many requests would have fitted, by proportion:
 *
 * <pre>
 * fit = min(inFlight' * target / time between tokens', inFlight * {@value #KV_TARGET} / KV usage)
 * </pre>
 *
 * where {@code '} is the mean over the tokens of the last windows, each of which has {@value #KEPT}
 * times the weight of the next.
 *
 * <p>The fit is reduced to the requests that really run if the engine queues, and by a fifth if it
 * preempted. The limit follows the median fit of the last {@value #MEMORY} windows, so that a
 * single slow window has no effect. It falls to the fit, by at most a fifth per window, if the fit
 * is below the requests in flight. It rises to the fit, by at most {@code sqrt(limit)}, if the fit
 * is above {@value #ROOM} times the requests in flight, the engine does not queue, and the limit is
 * what bounds the requests. In between it does not change.
 *
 * <p>The algorithm follows {@code Gradient2Limit} of Netflix' concurrency-limits (a gradient that
 * scales the limit, growth by the square root, no growth unless the limit is in use), with two
 * changes. The gradient compares with a target instead of the past, because readers notice the
 * absolute time between tokens. And it scales the requests in flight instead of the limit:
 * generations last for seconds, so after a cut the requests in flight stay above the limit for a
 * while, and a limit that kept falling would end far too low. If the time between tokens is {@code
 * a + b * inFlight}, the steps converge without overshoot.
 *
 * <p>An engine that is slower than the target even with few requests does not get faster with
 * fewer. So the target is at least {@value #TOLERANCE} times the time between tokens with few
 * requests.
 *
 * <p>If answers have one token each (classification), there is no time between tokens; memory,
 * preemptions and the queue decide.
 *
 * <p>{@link #observe} is for one thread, the rest for any.
 */
public final class AdaptiveLimit {
  /** Target of the time between tokens; below the 100 ms that a reader should get. */
  public static final double TARGET_MILLIS = 80;

  /** Above this an engine is about to preempt, because running requests keep growing. */
  private static final double KV_TARGET = 0.85;

  private static final double TOLERANCE = 1.25;
  private static final double ROOM = 1.1;
  private static final double CUT = 0.8;

  /**
   * Bulk alone leaves a fifth of the slots free; because of rounding, up to a third if there are
   * few slots.
   */
  private static final double IN_USE = 0.66;

  private static final int MEMORY = 5;

  /** A queue over this many windows in a row is not a burst. */
  private static final int QUEUEING_WINDOWS = 3;

  /** With at most this fraction of the maximum an engine counts as having few requests. */
  private static final int FEW_DIVISOR = 16;

  private static final double BASE_WEIGHT = 0.2;

  /** The decay per window of the observed time between tokens. */
  private static final double KEPT = 0.9;

  /**
   * A base that is not observed again decays to half in some minutes, so that it is measured again.
   */
  private static final double BASE_DECAY = 0.998;

  private final int floor;
  private final int start;
  private final int max;
  private final double targetMillis;
  private final Deque<Double> fits = new ArrayDeque<>();
  private double seenTokens;
  private double seenMillis;
  private double seenInFlight;
  private double baseMillis;
  private int queueingInARow;
  private double exact;
  private volatile int limit;

  /**
   * A limit without observations.
   *
   * @param floor lower bound, unless {@code max} is lower
   * @param start initial value
   * @param max upper bound
   * @param targetMillis target of the time between tokens
   */
  public AdaptiveLimit(int floor, int start, int max, double targetMillis) {
    this.max = Math.max(1, max);
    this.floor = Math.clamp(floor, 1, this.max);
    this.targetMillis = targetMillis;
    this.start = Math.clamp(start, this.floor, this.max);
    this.exact = this.start;
    this.limit = this.start;
  }

  /** Returns the usual limit of a worker: at least 4, initially 32. */
  public static AdaptiveLimit upTo(int max) {
    return new AdaptiveLimit(4, 32, max, TARGET_MILLIS);
  }

  /** Requests that may be in the engine at the same time; at least 1. */
  public int limit() {
    return limit;
  }

  /**
   * Another engine process has taken the place of the one before: what that has shown, as a slow
   * one, does not count any more. A limit above the initial one stays; for one thread, as {@link
   * #observe}.
   */
  public void engineReplaced() {
    fits.clear();
    seenTokens = 0;
    seenMillis = 0;
    seenInFlight = 0;
    baseMillis = 0;
    queueingInARow = 0;
    exact = Math.max(exact, start);
    limit = (int) Math.round(exact);
  }

  /** Takes the next window, which should last some hundred milliseconds. */
  public void observe(LimitWindow window) {
    queueingInARow = window.waiting() > 0 ? queueingInARow + 1 : 0;
    if (window.inFlight() <= 0) {
      return;
    }
    learnMean(window);
    learnBase(window);
    double fitNow = fit(window);
    double fit = remember(fitNow);
    if (Math.max(fit, fitNow) < window.inFlight()) {
      exact = Math.min(exact, Math.max(fit, exact * CUT));
    } else if (mayGrow(window) && Math.min(fit, fitNow) > window.inFlight() * ROOM) {
      exact = Math.max(exact, Math.min(fit, exact + Math.sqrt(exact)));
    }
    exact = Math.clamp(exact, floor, max);
    limit = (int) Math.round(exact);
  }

  private boolean mayGrow(LimitWindow window) {
    return window.inFlight() >= IN_USE * limit() && queueingInARow == 0;
  }

  private double fit(LimitWindow window) {
    double byTime = fitByTime(window);
    double byMemory = window.inFlight() * KV_TARGET / Math.max(1e-3, window.kvUsage().orElse(0));
    double fit = Math.min(byTime, byMemory);
    if (window.preemptions() > 0) {
      fit = Math.min(fit, window.inFlight() * CUT);
    }
    boolean isQueueing =
        queueingInARow >= QUEUEING_WINDOWS && window.waiting() > Math.sqrt(window.inFlight());
    return isQueueing ? Math.min(fit, window.inFlight() - window.waiting()) : fit;
  }

  /**
   * With few requests the engine shows its base time. A shorter time with more requests is also the
   * base.
   */
  private void learnBase(LimitWindow window) {
    if (window.interTokenMillis().isEmpty()) {
      return;
    }
    double millis = window.interTokenMillis().getAsDouble();
    boolean isFirst = baseMillis == 0;
    if (window.inFlight() <= Math.max(floor, max / FEW_DIVISOR)) {
      baseMillis = isFirst ? millis : baseMillis + BASE_WEIGHT * (millis - baseMillis);
    } else if (!isFirst) {
      baseMillis = Math.min(baseMillis * BASE_DECAY, millis);
    }
  }

  private double fitByTime(LimitWindow window) {
    if (window.interTokenMillis().isEmpty()) {
      return isSingleTokens(window) ? Double.POSITIVE_INFINITY : window.inFlight();
    }
    double reachable = TOLERANCE * baseMillis;
    return reachable > targetMillis
        ? window.inFlight() * reachable / Math.max(1e-3, window.interTokenMillis().getAsDouble())
        : seenInFlight * targetMillis / Math.max(1e-3, seenMillis);
  }

  /**
   * Answers have no second token, so nothing waits for one: memory and queue decide. Without any
   * token the engine may hang, and without its KV usage there is nothing to decide by.
   */
  private static boolean isSingleTokens(LimitWindow window) {
    return window.firstTokens() > 0 && window.kvUsage().isPresent();
  }

  /**
   * The mean over some seconds of the time between tokens, and of the requests in flight. A window
   * may have a single step, and a step that computes a prompt takes ten times as long as others.
   * Judged by such windows, an engine that serves every stream well would seem far too slow.
   */
  private void learnMean(LimitWindow window) {
    if (window.interTokenMillis().isPresent()) {
      double tokens = Math.max(1e-9, window.interTokens());
      seenTokens = seenTokens * KEPT + tokens;
      seenMillis = seenMillis * KEPT + tokens * window.interTokenMillis().getAsDouble();
      seenInFlight = seenInFlight * KEPT + tokens * window.inFlight();
    }
  }

  private double remember(double fit) {
    fits.addLast(fit);
    if (fits.size() > MEMORY) {
      fits.removeFirst();
    }
    double[] sorted = fits.stream().mapToDouble(Double::doubleValue).sorted().toArray();
    return sorted[sorted.length / 2];
  }
}
