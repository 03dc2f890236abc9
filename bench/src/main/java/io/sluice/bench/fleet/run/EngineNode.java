package io.sluice.bench.fleet.run;

import io.sluice.simulator.engine.Engine;
import io.sluice.simulator.engine.EngineConfig;
import io.sluice.simulator.engine.EngineStats;
import io.sluice.simulator.engine.LiveSequence;
import io.sluice.simulator.engine.SequenceRequest;
import java.time.Duration;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.stream.IntStream;

/**
 * One engine in virtual time: steps follow each other as long as there is work. Not thread-safe.
 */
public final class EngineNode {
  private final VirtualTime time;
  private Engine engine;
  private final EngineConfig config;
  private final Listener listener;
  private boolean isStepping;
  private final Set<Integer> coldLengths = new HashSet<>();
  private long coldNanos;
  private long stallNanos;
  private Runnable warmed = () -> {};
  private final Set<Integer> requests = new LinkedHashSet<>();
  private Optional<EngineFailures.Kind> failing = Optional.empty();
  private Optional<EngineFailures.Kind> failed = Optional.empty();

  /** Receives the progress of requests when it happens. */
  interface Listener {
    /** Called for each token, already at the start of the step that generates it. */
    void token(LiveSequence sequence, long endNanos);

    /** Called when the first token of a request exists. */
    void started(int request, int cachedTokens);

    /** Called when the last token of a request exists. */
    void finished(int request);

    /** Called when the engine has failed, with what it had. */
    void failed(List<Integer> requests);

    /** Called when it is back. */
    void cameBack();
  }

  EngineNode(VirtualTime time, EngineConfig config, Listener listener) {
    this.time = time;
    this.engine = new Engine(config);
    this.config = config;
    this.listener = listener;
  }

  /** Begins a request. */
  public void submit(FleetRequest request) {
    submit(request, 0);
  }

  /**
   * Continues a request after a number of tokens of its answer.
   *
   * @throws IllegalStateException if the engine is not up
   */
  public void submit(FleetRequest request, int before) {
    if (!isUp()) {
      throw new IllegalStateException("The engine has failed.");
    }
    requests.add(request.id());
    submit(request.toSequence(before));
  }

  private void submit(SequenceRequest sequence) {
    if (coldLengths.remove(lengthClass(sequence.prompt().size()))) {
      stallNanos += coldNanos;
    }
    engine.submit(sequence);
    if (!isStepping) {
      step();
    }
  }

  /** Returns whether it answers. */
  public boolean isUp() {
    return failed.isEmpty();
  }

  /** Returns whether its machine answers, if only to refuse a connection. */
  public boolean isMachineUp() {
    return !failed.equals(Optional.of(EngineFailures.Kind.MACHINE));
  }

  /** It fails as soon as its present step has ended, so that it has no token half made. */
  public void fail(EngineFailures.Kind kind) {
    failing = Optional.of(kind);
    if (!isStepping) {
      failNow();
    }
  }

  private void failNow() {
    failed = failing;
    failing = Optional.empty();
    replace();
    List<Integer> lost = List.copyOf(requests);
    requests.clear();
    listener.failed(lost);
  }

  /** It answers again, with an empty cache. */
  public void comeBack() {
    failing = Optional.empty();
    if (!isUp()) {
      failed = Optional.empty();
      listener.cameBack();
    }
  }

  private void replace() {
    engine = new Engine(config);
    isStepping = false;
  }

  private static int lengthClass(int tokens) {
    return Integer.SIZE - Integer.numberOfLeadingZeros(tokens);
  }

  /**
   * Another process takes the engine's place, without requests and with an empty cache.
   *
   * @param cold how long it takes longer at its first prompt of each length, by powers of two
   */
  public void restart(Duration cold) {
    replace();
    requests.clear();
    coldNanos = cold.toNanos();
    coldLengths.clear();
    IntStream.rangeClosed(0, Integer.SIZE).forEach(coldLengths::add);
  }

  /** Runs a request of a warm-up, which has a negative id, and of which no caller hears. */
  public void warmUp(FleetRequest request) {
    submit(request.toSequence());
  }

  /** Calls an action whenever a request of a warm-up has finished. */
  public void whenWarmed(Runnable action) {
    warmed = action;
  }

  /** Drops a request, if the engine has it. */
  public void abort(int request) {
    requests.remove(request);
    engine.abort(request);
  }

  /** Returns how many leading tokens of a prompt are cached, by the hashes of its blocks. */
  public int cachedTokens(long[] hashes) {
    return engine.cachedBlocks(hashes) * config.blockTokens();
  }

  /**
   * Returns how many tokens of a prompt are still to be computed; empty if the engine has not got
   * it.
   */
  public OptionalInt uncomputedTokens(int request) {
    return engine.uncomputedTokens(request);
  }

  /** Returns what the engine's metrics show now. */
  public EngineStats stats() {
    return engine.stats();
  }

  /** Returns the settings of the engine. */
  public EngineConfig config() {
    return config;
  }

  private void step() {
    Engine stepping = engine;
    long stall = stallNanos;
    stallNanos = 0;
    long nanos =
        engine.hasWork() ? engine.step(time.nowNanos() + stall, this::take).durationNanos() : 0;
    isStepping = nanos > 0;
    if (isStepping) {
      time.at(time.nowNanos() + stall + nanos, () -> stepUnlessReplaced(stepping));
    }
  }

  private void stepUnlessReplaced(Engine stepping) {
    if (stepping != engine) {
      return;
    }
    if (failing.isPresent()) {
      failNow();
    } else {
      step();
    }
  }

  private void take(LiveSequence sequence, int token, long endNanos) {
    if (sequence.request().id() < 0) {
      if (sequence.finish().isPresent()) {
        time.at(endNanos, warmed);
      }
      return;
    }
    listener.token(sequence, endNanos);
    int request = (int) sequence.request().id();
    if (sequence.outputTokens() == 1) {
      int cached = sequence.cachedTokens();
      time.at(endNanos, () -> listener.started(request, cached));
    }
    if (sequence.finish().isPresent()) {
      requests.remove(request);
      time.at(endNanos, () -> listener.finished(request));
    }
  }
}
