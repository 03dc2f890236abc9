package io.sluice.simulator.engine;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedSet;
import java.util.TreeSet;

/**
 * A continuous-batching engine in the manner of vLLM's V1 engine, driven by its caller's clock.
 *
 * <p>Each step computes what {@link Scheduler} chose under the token budget, and every sequence
 * whose known tokens are all computed yields one more. What a sequence yields depends on nothing
 * but its own source: batching, caching and preemption change times only.
 *
 * <p>Nothing in here waits, reads a clock or starts a thread, and equal calls give equal results.
 * Not thread-safe.
 */
public final class Engine {

  private final EngineConfig config;
  private final BlockPool pool;
  private final Scheduler scheduler;
  private final StepTime stepTime;
  private final Map<Long, Sequence> sequences = new HashMap<>();
  private long arrivals;

  /** Creates an idle engine whose cache nobody watches. */
  public Engine(EngineConfig config) {
    this(config, BlockListener.NONE);
  }

  /**
   * Creates an idle engine.
   *
   * @param listener hears of the prefix cache, except {@link BlockListener#stepEnded()}: the end of
   *     a step is known to whoever keeps the time
   */
  public Engine(EngineConfig config, BlockListener listener) {
    this.config = config;
    this.pool = new BlockPool(config.kvBlocks(), config.blockTokens(), listener);
    this.scheduler = new Scheduler(config.scheduling(), config.prefixCaching(), pool, listener);
    this.stepTime = new StepTime(config.timing());
  }

  /**
   * Adds a sequence to the waiting ones.
   *
   * @throws IllegalArgumentException if its prompt leaves no room for output in the context, or if
   *     its id is taken
   */
  public void submit(SequenceRequest request) {
    if (request.prompt().size() >= config.maxModelLen()) {
      throw new IllegalArgumentException(
          "The prompt of %d tokens leaves no room for output in a context of %d tokens."
              .formatted(request.prompt().size(), config.maxModelLen()));
    }
    Sequence sequence = new Sequence(request, config.blockTokens(), arrivals++);
    if (sequences.putIfAbsent(request.id(), sequence) != null) {
      throw new IllegalArgumentException("A sequence has the id " + request.id() + " already.");
    }
    scheduler.add(sequence);
  }

  /** Forgets a sequence, waiting or running, and frees its blocks; false if it is not there. */
  public boolean abort(long id) {
    Sequence sequence = sequences.remove(id);
    if (sequence == null) {
      return false;
    }
    scheduler.remove(sequence);
    return true;
  }

  /** Returns whether any sequence is running or waiting. */
  public boolean hasWork() {
    return !sequences.isEmpty();
  }

  /** Runs one step that starts now, and returns its tokens as objects. */
  public StepResult step(long nowNanos) {
    List<TokenOutput> outputs = new ArrayList<>();
    StepSummary summary =
        step(
            nowNanos,
            (sequence, token, endNanos) ->
                outputs.add(
                    new TokenOutput(
                        sequence.request().id(),
                        token,
                        sequence.finish(),
                        sequence.scheduledNanos(),
                        sequence.preemptions(),
                        sequence.cachedTokens())));
    return new StepResult(summary, outputs);
  }

  /**
   * Runs one step that starts now. It takes no time and yields nothing if there is nothing it could
   * compute: without work, or when leaked blocks leave no room for the head.
   *
   * @param listener takes the tokens; it may submit, but must not abort or step
   */
  public StepSummary step(long nowNanos, TokenListener listener) {
    long preemptionsBefore = scheduler.preemptions();
    List<Sequence> batch = scheduler.schedule(nowNanos);
    int preempted = (int) (scheduler.preemptions() - preemptionsBefore);
    if (batch.isEmpty()) {
      return new StepSummary(0, 0, 0, preempted);
    }
    int prefillTokens = 0;
    double prefillReads = 0;
    int decodeSequences = 0;
    long decodeReads = 0;
    for (int i = 0; i < batch.size(); i++) {
      Sequence sequence = batch.get(i);
      if (sequence.decodes()) {
        decodeSequences++;
        decodeReads += sequence.knownTokens();
      } else {
        prefillTokens += sequence.scheduledTokens();
        prefillReads += sequence.scheduledReads();
      }
    }
    var work = new StepWork(prefillTokens, prefillReads, decodeSequences, decodeReads);
    long nanos = stepTime.nanos(work);
    yieldTokens(batch, nowNanos + nanos, listener);
    return new StepSummary(nanos, prefillTokens, decodeSequences, preempted);
  }

  /**
   * Empties the prefix cache; false, and nothing happens, while any block is used.
   *
   * @param preemptRunning whether to preempt whatever runs, so that no block is used
   */
  public boolean resetPrefixCache(boolean preemptRunning) {
    if (preemptRunning) {
      scheduler.preemptAll();
    }
    return pool.reset();
  }

  /** Makes all following steps take so many times as long; 1 is normal. */
  public void slowBy(double factor) {
    if (!(factor > 0)) {
      throw new IllegalArgumentException("A slow-down must be more than 0, got " + factor + ".");
    }
    stepTime.slowBy(factor);
  }

  /**
   * Takes free blocks out of use for good, as a memory leak does: they count as used from now on.
   * Cached content in them is lost. When too few are left, sequences wait for ever.
   *
   * @return how many there were to take
   */
  public int leakBlocks(int blocks) {
    return pool.leak(blocks);
  }

  /** Returns the state and totals as of now. */
  public EngineStats stats() {
    return scheduler.stats();
  }

  /** Returns the LoRA adapters in use as of now. */
  public LoraUse loraUse() {
    return new LoraUse(adapters(scheduler.running()), adapters(scheduler.waiting()));
  }

  private void yieldTokens(List<Sequence> batch, long endNanos, TokenListener listener) {
    boolean anyFinished = false;
    for (int i = 0; i < batch.size(); i++) {
      Sequence sequence = batch.get(i);
      sequence.compute();
      if (sequence.uncomputedTokens() == 0) {
        int token = sequence.sample(config.maxModelLen());
        if (sequence.hasFinished()) {
          sequences.remove(sequence.request().id());
          anyFinished = true;
        }
        listener.onToken(sequence, token, endNanos);
      }
    }
    if (anyFinished) {
      scheduler.removeFinished();
    }
  }

  private static SortedSet<String> adapters(Iterable<Sequence> sequences) {
    SortedSet<String> names = new TreeSet<>();
    sequences.forEach(sequence -> names.add(sequence.loraName()));
    names.remove("");
    return names;
  }
}
