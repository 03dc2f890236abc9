package io.sluice.router.queue;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.Optional;
import java.util.OptionalDouble;

/**
 * How long a request of a kind would wait, from how many tokens of that kind are ahead of it and
 * how many of it the pool gets through in a second. That rate is learnt from answers that come
 * while others of the kind wait, for an idle pool shows only what it is asked; it is the best of
 * the last {@value #WINDOWS} windows of ten seconds under load, so that a short lull refuses
 * nobody. Until there is such a window, and once all are older than five minutes, nothing is known.
 *
 * <p>Tokens are prompt and output together as estimated when the request came, on both sides alike,
 * so that an estimate that is wrong by a factor cancels out. Thread-safe.
 */
final class WaitEstimate {
  private static final long WINDOW_NANOS = Duration.ofSeconds(10).toNanos();
  private static final int WINDOWS = 3;

  /** Fewer answers say too little. */
  private static final int LEAST_ANSWERS = 10;

  /** Longer between two answers is a standstill, not a slow pool: the deadline judges that. */
  private static final long STANDSTILL_NANOS = Duration.ofSeconds(30).toNanos();

  private static final long FORGET_NANOS = Duration.ofMinutes(5).toNanos();

  /** Kinds are named by requests; so many are remembered, those that were answered last. */
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

  /** Those that were answered last come last. */
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

  /** What the pool gets through of a kind; empty while that is not known. */
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

  /** How long it takes until so many tokens are served; empty while that is not known. */
  Optional<Duration> wait(RequestKind kind, long tokensBefore, long nowNanos) {
    OptionalDouble rate = tokensPerSecond(kind, nowNanos);
    return rate.isEmpty()
        ? Optional.empty()
        : Optional.of(Duration.ofMillis((long) (tokensBefore * 1_000.0 / rate.getAsDouble())));
  }
}
