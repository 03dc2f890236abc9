package io.sluice.worker.watchdog;

import io.sluice.worker.health.EngineSample;
import io.sluice.worker.health.EngineTotals;
import java.time.Duration;
import java.util.Optional;
import java.util.OptionalDouble;

/**
 * Adds up samples to windows. A window of a quiet engine is longer than others, so that there is
 * something to judge in it. For one thread.
 */
final class WindowCollector {
  private static final int LONGEST = 20;

  private final Duration length;
  private Duration elapsed = Duration.ZERO;
  private EngineTotals added = EngineTotals.UNKNOWN;
  private double requests;
  private double contextTokens;
  private boolean isQueueing;
  private double kvUsage;
  private Duration kvElapsed = Duration.ZERO;

  /** Collects windows of at least this length, and of at most {@value #LONGEST} times of it. */
  WindowCollector(Duration length) {
    this.length = length;
  }

  /** Adds a sample; returns the window that it completes. */
  Optional<EngineWindow> add(EngineSample sample) {
    double seconds = seconds(sample.elapsed());
    elapsed = elapsed.plus(sample.elapsed());
    added = added.plus(sample.added());
    requests += sample.running() * seconds;
    contextTokens += sample.contextTokens() * seconds;
    isQueueing |= sample.waiting() > 0;
    if (sample.kvUsage().isPresent()) {
      kvUsage += sample.kvUsage().getAsDouble() * seconds;
      kvElapsed = kvElapsed.plus(sample.elapsed());
    }
    if (elapsed.compareTo(length) < 0) {
      return Optional.empty();
    }
    EngineWindow window = window();
    if (!window.isIdle()
        && !window.tellsAll()
        && elapsed.compareTo(length.multipliedBy(LONGEST)) < 0) {
      return Optional.empty();
    }
    clear();
    return Optional.of(window);
  }

  private EngineWindow window() {
    return new EngineWindow(
        elapsed,
        requests / seconds(elapsed),
        contextTokens / seconds(elapsed),
        isQueueing,
        kvElapsed.isZero()
            ? OptionalDouble.empty()
            : OptionalDouble.of(kvUsage / seconds(kvElapsed)),
        added);
  }

  private static double seconds(Duration time) {
    return time.toNanos() / 1e9;
  }

  /** Forgets the window that has begun. */
  void clear() {
    elapsed = Duration.ZERO;
    added = EngineTotals.UNKNOWN;
    requests = 0;
    contextTokens = 0;
    isQueueing = false;
    kvUsage = 0;
    kvElapsed = Duration.ZERO;
  }
}
