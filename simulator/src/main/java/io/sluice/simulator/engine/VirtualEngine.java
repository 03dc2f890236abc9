package io.sluice.simulator.engine;

/**
 * An engine with its own clock that runs as fast as the machine allows: for benchmarks and tests
 * over minutes of traffic on any number of engines.
 *
 * <p>Process the arrivals in order of time: for each one, run the engine {@link #runUntil} its time
 * and then {@link #submit} it. Engines that do not depend on each other need no common order and
 * can run on different threads. Not thread-safe.
 */
public final class VirtualEngine {

  private final Engine engine;
  private final TokenListener listener;
  private long nowNanos;
  private long steps;

  /**
   * Creates an idle engine at time 0.
   *
   * @param listener receives every token with its time; it may submit
   */
  public VirtualEngine(EngineConfig config, TokenListener listener) {
    this.engine = new Engine(config);
    this.listener = listener;
  }

  /** Adds a sequence, which the first step that starts from now on can admit. */
  public void submit(SequenceRequest request) {
    engine.submit(request);
  }

  /** Runs all steps that start before a time. The last one may end after it. */
  public void runUntil(long untilNanos) {
    while (nowNanos < untilNanos) {
      step(untilNanos);
    }
  }

  /**
   * Runs until all sequences have finished, or until a time.
   *
   * @return whether all sequences have finished
   */
  public boolean runToEnd(long latestNanos) {
    while (engine.hasWork() && nowNanos < latestNanos) {
      step(latestNanos);
    }
    return !engine.hasWork();
  }

  /** Returns the end of the last step, or the time until which it was run without work. */
  public long nowNanos() {
    return nowNanos;
  }

  /** Returns the number of steps run so far. */
  public long steps() {
    return steps;
  }

  /** Returns the engine's state and totals. */
  public EngineStats stats() {
    return engine.stats();
  }

  /** Returns the engine, for instance to abort a sequence or to slow it down between runs. */
  public Engine engine() {
    return engine;
  }

  private void step(long idleUntilNanos) {
    long nanos = engine.hasWork() ? engine.step(nowNanos, listener).durationNanos() : 0;
    if (nanos == 0) {
      nowNanos = idleUntilNanos;
    } else {
      nowNanos += nanos;
      steps++;
    }
  }
}
