package io.sluice.router.queue;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.Optional;
import java.util.OptionalDouble;

/**
 * Estimates how long a request of a kind would wait, from the tokens of that kind that are ahead of
 * it and the rate at which the pool serves them. The rate is learned from answers that come while
 * other requests of the kind wait, because an idle pool shows only the demand. It is the best of
 * the last {@value #WINDOWS} windows of ten seconds under load, so that a short lull does not cause
 * refusals. There is no estimate before the first such window, nor after all windows are older than
 * five minutes.
 *
 * <p>Tokens are prompt and output together, as estimated on arrival. Both sides use the same
 * estimate, so a constant error cancels out. Thread-safe.
 */
final class WaitEstimate {
  private static final long WINDOW_NANOS = Duration.ofSeconds(10).toNanos();
  private static final int WINDOWS = 3;

  /** A window with fewer answers is not significant. */
  private static final int LEAST_ANSWERS = 10;

  /**
   * A longer gap between two answers is a standstill, not a slow pool. The deadline covers that
   * case.
   */
  private static final long STANDSTILL_NANOS = Duration.ofSeconds(30).toNanos();

  private static final long FORGET_NANOS = Duration.ofMinutes(5).toNanos();

  /**
   * Callers choose the kinds, so their number is bounded. The most recently answered ones are kept.
   */
  private static final int KINDS = 1_000;

  private record Window(double tokensPerSecond, long endNanos) {}

  private static final class Learnt {
    private final Deque<Window> windows = new ArrayDeque<>();
    private boolean isLoaded;
    private long lastNanos;
    private long loadedNanos;
    private long tokens;
    private int answers;
  }

  /** In the order of the last answer, the most recent one last. */
  private final LinkedHashMap<RequestKind, Learnt> kinds = new LinkedHashMap<>();

  /**
   * A request was answered.
   *
   * @param othersWait whether more requests of its kind wait for room
   */
  synchronized void answered(RequestKind kind, long tokens, boolean othersWait, long nowNanos) {
    Learnt known = kinds.get(kind);
    Learnt learnt = known == null ? new Learnt() : known;
    kinds.putLast(kind, learnt);
    long passed = nowNanos - learnt.lastNanos;
    if (learnt.isLoaded && passed <= STANDSTILL_NANOS) {
      learnt.loadedNanos += passed;
      learnt.tokens += tokens;
      learnt.answers++;
    }
    learnt.isLoaded = othersWait;
    learnt.lastNanos = nowNanos;
    if (learnt.loadedNanos >= WINDOW_NANOS && learnt.answers >= LEAST_ANSWERS) {
      double seconds = learnt.loadedNanos / (double) Duration.ofSeconds(1).toNanos();
      learnt.windows.addLast(new Window(learnt.tokens / seconds, nowNanos));
      if (learnt.windows.size() > WINDOWS) {
        learnt.windows.removeFirst();
      }
      learnt.loadedNanos = 0;
      learnt.tokens = 0;
      learnt.answers = 0;
    }
    forget(nowNanos);
  }

  private void forget(long nowNanos) {
    while (kinds.size() > KINDS
        || nowNanos - kinds.firstEntry().getValue().lastNanos > FORGET_NANOS) {
      kinds.pollFirstEntry();
    }
  }

  /** Returns the rate at which the pool serves a kind; empty while it is not known. */
  synchronized OptionalDouble tokensPerSecond(RequestKind kind, long nowNanos) {
    Learnt learnt = kinds.get(kind);
    return learnt == null
        ? OptionalDouble.empty()
        : learnt.windows.stream()
            .filter(window -> nowNanos - window.endNanos() <= FORGET_NANOS)
            .mapToDouble(Window::tokensPerSecond)
            .filter(rate -> rate > 0)
            .max();
  }

  /** Returns the time to serve this many tokens; empty while the rate is not known. */
  Optional<Duration> wait(RequestKind kind, long tokensBefore, long nowNanos) {
    OptionalDouble rate = tokensPerSecond(kind, nowNanos);
    return rate.isEmpty()
        ? Optional.empty()
        : Optional.of(Duration.ofMillis((long) (tokensBefore * 1_000.0 / rate.getAsDouble())));
  }
}
