package io.sluice.bench.fleet.sluice;

import io.sluice.bench.fleet.run.EngineNode;
import io.sluice.bench.fleet.run.VirtualTime;
import io.sluice.fleet.breaker.BreakerState;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/**
 * How a worker notices that its engine fails or is back: by a check with every reading of the
 * metrics, and by one as soon as a connection breaks, {@value #APART_MILLIS} ms after the last
 * check at the earliest. Not thread-safe.
 */
final class EngineChecks {
  private static final int APART_MILLIS = 200;

  /** Hears what a check finds. */
  interface Listener {
    /** The breaker has changed. */
    void breakerChanged(BreakerState state);

    /** The engine was found down, now or before. */
    void down();

    /** The engine was found up, and was down before. */
    void back();
  }

  private final VirtualTime time;
  private final EngineNode engine;
  private final HeldRequests held;
  private final Listener listener;
  private final WorkerBreaker breaker = new WorkerBreaker();
  private final List<Runnable> asking = new ArrayList<>();
  private long lastNanos;
  private boolean isUp = true;

  EngineChecks(VirtualTime time, EngineNode engine, HeldRequests held, Listener listener) {
    this.time = time;
    this.engine = engine;
    this.held = held;
    this.listener = listener;
  }

  /** Checks the engine now. */
  void check() {
    lastNanos = time.nowNanos();
    boolean wasUp = isUp;
    isUp = engine.isUp();
    Set<String> streaming = breaker.isClosed() ? Set.of() : held.streaming(lastNanos);
    if (breaker.checked(isUp, streaming, RequestView.epochMillis(lastNanos))) {
      listener.breakerChanged(breaker.state());
    }
    if (!isUp) {
      listener.down();
    } else if (!wasUp) {
      listener.back();
    }
    List<Runnable> answered = List.copyOf(asking);
    asking.clear();
    answered.forEach(Runnable::run);
  }

  /** Checks the engine as soon as possible, and then calls an action. */
  void ask(Runnable then) {
    asking.add(then);
    if (asking.size() == 1) {
      long earliest = lastNanos + Duration.ofMillis(APART_MILLIS).toNanos();
      time.at(earliest, this::checkIfAsked);
    }
  }

  private void checkIfAsked() {
    if (!asking.isEmpty()) {
      check();
    }
  }

  /** A request was answered. */
  void completed(HeldRequest request) {
    long now = RequestView.epochMillis(time.nowNanos());
    if (breaker.completed(request.lease().lease(), now)) {
      listener.breakerChanged(breaker.state());
    }
  }

  /** Returns whether the engine answered the last check. */
  boolean isUp() {
    return isUp;
  }

  /** Returns whether the breaker lets a request in, in addition to those that the worker has. */
  boolean admitAnother() {
    return breaker.admitsWith(held.size());
  }
}
