package io.sluice.worker.limit;

import java.util.ArrayDeque;
import java.util.Deque;

/**
 * How many requests a worker lets into its engine at once. What is not let in waits in the router,
 * where it can still be put in order and sent elsewhere.
 *
 * <p>Every window says how many requests would just have been right: by proportion, those in flight
 * times
 *
 * <pre>
 * fit = min(inFlight' * target / time between tokens', inFlight * {@value #KV_TARGET} / KV usage)
 * </pre>
 *
 * where {@code '} is the mean over the tokens of the last windows, each of which counts {@value
 * #KEPT} times the next one,
 *
 * <p>lessened to what really runs while the engine queues, and by a fifth if it preempted. The
 * limit follows the median fit of the last {@value #MEMORY} windows, so that one slow window means
 * nothing: down to it by at most a fifth per window while it is below the requests in flight; up to
 * it by at most {@code sqrt(limit)} while it is above {@value #ROOM} times them, the engine does
 * not queue, and the limit is what bounds. Between the two it rests.
 *
 * <p>The form is that of {@code Gradient2Limit} in Netflix' concurrency-limits (a gradient that
 * scales the limit, growth by the square root, no growth unless in use), with two changes. The
 * gradient is taken against a target and not against the past, since it is the time between tokens
 * that readers feel. And it scales the requests in flight and not the limit: generations last for
 * seconds, so that after a cut the flight stays above the limit for long, and a limit that went on
 * falling meanwhile would end far too low. With a time between tokens of {@code a + b * inFlight}
 * the steps converge without overshoot.
 *
 * <p>An engine that is slower than the target even with few requests gains nothing by having fewer:
 * the target is at least {@value #TOLERANCE} times what was seen with few.
 *
 * <p>Where answers have one token each (classification), time does not bound: memory, preemptions
 * and the queue decide.
 *
 * <p>{@link #observe} is for one thread, the rest for any.
 */
public final class AdaptiveLimit {
  /** What the time between tokens is kept to, below the 100 ms that a reader should get. */
  public static final double TARGET_MILLIS = 80;

  /** Beyond this an engine is about to preempt: running requests go on growing. */
  private static final double KV_TARGET = 0.85;

  private static final double TOLERANCE = 1.25;
  private static final double ROOM = 1.1;
  private static final double CUT = 0.8;

  /** Bulk alone leaves a fifth of the slots free; rounded down, of few slots up to a third. */
  private static final double IN_USE = 0.66;

  private static final int MEMORY = 5;

  /** So many windows in a row with a queue are no burst. */
  private static final int QUEUEING_WINDOWS = 3;

  /** Below this share of the maximum an engine counts as having few requests. */
  private static final int FEW_DIVISOR = 16;

  private static final double BASE_WEIGHT = 0.2;

  /** Of what was seen of the time between tokens, per window. */
  private static final double KEPT = 0.9;

  /** A base that is not seen again halves in some minutes, so that it is looked at anew. */
  private static final double BASE_DECAY = 0.998;

  private final int floor;
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
   * A limit that has seen nothing yet.
   *
   * @param floor it never falls below this, unless {@code max} is lower
   * @param start what it begins with
   * @param max it never rises above this
   * @param targetMillis what the time between tokens is kept to
   */
  public AdaptiveLimit(int floor, int start, int max, double targetMillis) {
    this.max = Math.max(1, max);
    this.floor = Math.clamp(floor, 1, this.max);
    this.targetMillis = targetMillis;
    this.exact = Math.clamp(start, this.floor, this.max);
    this.limit = (int) exact;
  }

  /** The usual limit of a worker: from 4 upwards, 32 at first. */
  public static AdaptiveLimit upTo(int max) {
    return new AdaptiveLimit(4, 32, max, TARGET_MILLIS);
  }

  /** Requests that may be in the engine now; at least 1. */
  public int limit() {
    return limit;
  }

  /** Takes the next window in, which should be some hundred milliseconds long. */
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

  /** With few requests the engine shows how fast it is; whatever is faster is so, too. */
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
   * Answers come that have no second token, and nobody waits for one: memory and queue decide.
   * Without any token the engine may hang, and without its KV usage there is nothing to go by.
   */
  private static boolean isSingleTokens(LimitWindow window) {
    return window.firstTokens() > 0 && window.kvUsage().isPresent();
  }

  /**
   * What streams see on average over some seconds, and with how many others. A window may hold a
   * single step, and one that computes a prompt takes ten times as long as others: by such windows
   * an engine that gives every stream its due would seem far too slow.
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
