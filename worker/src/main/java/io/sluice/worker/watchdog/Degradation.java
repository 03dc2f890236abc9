package io.sluice.worker.watchdog;

import io.sluice.fleet.breaker.BreakerRules;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalDouble;

/**
 * Decides whether an engine has become worse since its start. Times are compared with those of the
 * young engine under the same load, so that more traffic is not taken for a slower engine. A sign
 * counts when three quarters of the last {@value Recent#WINDOWS} windows that tell about it show
 * it: the lower quartile is a rank, so single slow windows do not move it.
 *
 * <p>Fewer cache hits or a full memory can come from other prompts. They count only together with a
 * slower engine.
 *
 * <p>For one thread.
 */
final class Degradation {
  private static final double SLOW_FIRST_TOKENS = 2;
  private static final double SLOW_TOKENS = 1.4;

  /** With another sign, the engine needs to be only so much slower. */
  private static final double SLOWER = 1.3;

  private static final double FEW_HITS = 0.4;
  private static final double MANY_HITS = 0.5;
  private static final double FULL = 0.9;

  /** At this use the worker's breaker opens; without a request it would never close again. */
  private static final double LEAKED = BreakerRules.STANDARD.memoryOpenAbove();

  private final Baseline firstTokens = new Baseline();
  private final Baseline tokens = new Baseline();
  private final List<Double> firstHits = new ArrayList<>();
  private final Recent firstTokenRatios = new Recent();
  private final Recent tokenRatios = new Recent();
  private final Recent hits = new Recent();
  private final Recent memory = new Recent();
  private final Recent idleMemory = new Recent();

  /** Takes the next window of the engine's life. */
  void observe(EngineWindow window) {
    compare(firstTokens, LoadLevel.ofPrompts(window), window.firstTokenMillis(), firstTokenRatios);
    compare(tokens, LoadLevel.ofContexts(window), window.interTokenMillis(), tokenRatios);
    window.hitRate().ifPresent(this::observeHits);
    window.kvUsage().ifPresent(window.isIdle() ? idleMemory::add : memory::add);
  }

  private static void compare(
      Baseline baseline, LoadLevel level, OptionalDouble millis, Recent ratios) {
    if (millis.isPresent()) {
      double slowdown = ratios.median().orElse(1);
      baseline.compare(level, millis.getAsDouble(), slowdown).ifPresent(ratios::add);
    }
  }

  private void observeHits(double rate) {
    hits.add(rate);
    if (firstHits.size() < Recent.WINDOWS) {
      firstHits.add(rate);
      firstHits.sort(null);
    }
  }

  /** Returns the first sign that counts; empty for an engine that is as good as it was. */
  Optional<Symptom> symptom() {
    double slowerFirstTokens = firstTokenRatios.lowerQuartile().orElse(1);
    double slowerTokens = tokenRatios.lowerQuartile().orElse(1);
    boolean isSlower = slowerFirstTokens >= SLOWER || slowerTokens >= SLOWER;
    if (slowerFirstTokens >= SLOW_FIRST_TOKENS) {
      return Optional.of(Symptom.SLOW_FIRST_TOKENS);
    }
    if (slowerTokens >= SLOW_TOKENS) {
      return Optional.of(Symptom.SLOW_TOKENS);
    }
    if (isSlower && hadManyHits() && hits.upperQuartile().orElse(1) < FEW_HITS) {
      return Optional.of(Symptom.LOST_CACHE);
    }
    if (isSlower && memory.lowerQuartile().orElse(0) > FULL) {
      return Optional.of(Symptom.FULL_MEMORY);
    }
    return idleMemory.lowerQuartile().orElse(0) > LEAKED
        ? Optional.of(Symptom.LEAKED_MEMORY)
        : Optional.empty();
  }

  /**
   * Returns the time between tokens as a multiple of that of the young engine under the same load:
   * the median of the last windows; 0 with too few windows.
   */
  double slowdown() {
    return tokenRatios.median().orElse(0);
  }

  private boolean hadManyHits() {
    return firstHits.size() == Recent.WINDOWS && firstHits.get(Recent.WINDOWS / 2) > MANY_HITS;
  }
}
