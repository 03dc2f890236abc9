package io.sluice.worker.limit;

import io.sluice.simulator.engine.EngineConfig;
import io.sluice.simulator.engine.LiveSequence;
import io.sluice.simulator.engine.SequenceRequest;
import io.sluice.simulator.engine.VirtualEngine;
import io.sluice.simulator.text.TokenIds;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalDouble;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.function.IntSupplier;

/** A simulated engine in virtual time, with more requests than it can take waiting outside. */
final class LimitedEngine {
  private static final long WINDOW_NANOS = 500_000_000;

  /** What came out of a stretch of time. */
  record Result(
      double tokensPerSecond, double interTokenMillis, long preemptions, List<Integer> limits) {
    int leastLimit() {
      return limits.stream().mapToInt(Integer::intValue).min().orElseThrow();
    }

    int mostLimit() {
      return limits.stream().mapToInt(Integer::intValue).max().orElseThrow();
    }
  }

  private final AdaptiveLimit limit;
  private final IntSupplier inUse;
  private final int promptTokens;
  private final int outputTokens;
  private final VirtualEngine engine;
  private final SplittableRandom random = new SplittableRandom(7);
  private final Map<Long, Long> lastTokenNanos = new HashMap<>();
  private int backlogBound = Integer.MAX_VALUE;
  private long ids;
  private int inFlight;
  private long tokens;
  private long gaps;
  private long firstTokens;
  private double gapMillis;

  private LimitedEngine(
      EngineConfig config,
      AdaptiveLimit limit,
      IntSupplier inUse,
      int promptTokens,
      int outputTokens) {
    this.limit = limit;
    this.inUse = inUse;
    this.promptTokens = promptTokens;
    this.outputTokens = outputTokens;
    this.engine = new VirtualEngine(config, this::take);
  }

  static LimitedEngine adaptive(
      EngineConfig config, AdaptiveLimit limit, int promptTokens, int outputTokens) {
    return new LimitedEngine(config, limit, limit::limit, promptTokens, outputTokens);
  }

  static LimitedEngine fixed(EngineConfig config, int limit, int promptTokens, int outputTokens) {
    return new LimitedEngine(
        config, AdaptiveLimit.upTo(limit), () -> limit, promptTokens, outputTokens);
  }

  /** From now on no more than so many requests want to be in the engine at once. */
  LimitedEngine demand(int requests) {
    backlogBound = requests;
    return this;
  }

  LimitedEngine slowBy(double factor) {
    engine.engine().slowBy(factor);
    return this;
  }

  Result run(int seconds) {
    long startTokens = tokens;
    long startGaps = gaps;
    double startGapMillis = gapMillis;
    long startPreemptions = engine.stats().preemptions();
    long startNanos = engine.nowNanos();
    List<Integer> limits = new ArrayList<>();
    for (int i = 0; i < seconds * 2; i++) {
      long windowGaps = gaps;
      long windowFirstTokens = firstTokens;
      double windowGapMillis = gapMillis;
      long windowPreemptions = engine.stats().preemptions();
      send();
      engine.runUntil(startNanos + (i + 1) * WINDOW_NANOS);
      limit.observe(
          new LimitWindow(
              inFlight,
              engine.stats().waiting(),
              gaps > windowGaps
                  ? OptionalDouble.of((gapMillis - windowGapMillis) / (gaps - windowGaps))
                  : OptionalDouble.empty(),
              OptionalDouble.of(engine.stats().kvUsage()),
              engine.stats().preemptions() - windowPreemptions,
              gaps - windowGaps,
              firstTokens - windowFirstTokens));
      limits.add(inUse.getAsInt());
    }
    return new Result(
        (tokens - startTokens) * 1e9 / (engine.nowNanos() - startNanos),
        (gapMillis - startGapMillis) / Math.max(1, gaps - startGaps),
        engine.stats().preemptions() - startPreemptions,
        limits);
  }

  private void send() {
    while (inFlight < Math.min(inUse.getAsInt(), backlogBound)) {
      inFlight++;
      int[] prompt = random.ints(around(promptTokens), 1, 100_000).toArray();
      engine.submit(
          new SequenceRequest(
              ids++, TokenIds.of(prompt), around(outputTokens), Set.of(), 0, () -> 1));
    }
  }

  private int around(int mean) {
    return random.nextInt(mean / 2, mean * 3 / 2);
  }

  private void take(LiveSequence sequence, int token, long endNanos) {
    tokens++;
    long id = sequence.request().id();
    Long before = lastTokenNanos.put(id, endNanos);
    if (before != null) {
      gaps++;
      gapMillis += (endNanos - before) / 1e6;
    } else {
      firstTokens++;
    }
    if (sequence.finish().isPresent()) {
      lastTokenNanos.remove(id);
      inFlight--;
      send();
    }
  }
}
