package io.sluice.bench.fleet;

import io.sluice.simulator.engine.Engine;
import io.sluice.simulator.engine.EngineConfig;
import io.sluice.simulator.engine.EngineStats;
import io.sluice.simulator.engine.LiveSequence;

/**
 * One engine in virtual time: steps follow each other as long as there is work. Not thread-safe.
 */
final class EngineNode {
  private final VirtualTime time;
  private final Engine engine;
  private final EngineConfig config;
  private final Listener listener;
  private boolean isStepping;

  /** Is told of the progress of requests when it happens. */
  interface Listener {
    /** Called for each token, already at the start of the step that generates it. */
    void token(LiveSequence sequence, long endNanos);

    /** Called when the first token of a request exists. */
    void started(int request, int cachedTokens);

    /** Called when the last token of a request exists. */
    void finished(int request);
  }

  EngineNode(VirtualTime time, EngineConfig config, Listener listener) {
    this.time = time;
    this.engine = new Engine(config);
    this.config = config;
    this.listener = listener;
  }

  void submit(FleetRequest request) {
    submit(request, 0);
  }

  /** Continues a request after a number of tokens of its answer. */
  void submit(FleetRequest request, int before) {
    engine.submit(request.toSequence(before));
    if (!isStepping) {
      step();
    }
  }

  void abort(int request) {
    engine.abort(request);
  }

  EngineStats stats() {
    return engine.stats();
  }

  EngineConfig config() {
    return config;
  }

  private void step() {
    long nanos = engine.hasWork() ? engine.step(time.nowNanos(), this::take).durationNanos() : 0;
    isStepping = nanos > 0;
    if (isStepping) {
      time.at(time.nowNanos() + nanos, this::step);
    }
  }

  private void take(LiveSequence sequence, int token, long endNanos) {
    listener.token(sequence, endNanos);
    int request = (int) sequence.request().id();
    if (sequence.outputTokens() == 1) {
      int cached = sequence.cachedTokens();
      time.at(endNanos, () -> listener.started(request, cached));
    }
    if (sequence.finish().isPresent()) {
      time.at(endNanos, () -> listener.finished(request));
    }
  }
}
