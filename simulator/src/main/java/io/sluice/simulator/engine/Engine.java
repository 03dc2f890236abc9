package io.sluice.simulator.engine;

import io.sluice.simulator.engine.timing.StepTime;
import io.sluice.simulator.engine.timing.StepWork;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.SortedSet;
import java.util.TreeSet;

/**
 * A continuous-batching engine that is modelled on vLLM's V1 engine. The caller provides the clock.
 *
 * <p>Each step computes what {@link Scheduler} chose under the token budget. Every sequence whose
 * known tokens are all computed produces one more. The output of a sequence depends only on its own
 * source: batching, caching and preemption change times only.
 *
 * <p>The engine does not wait, read a clock or start a thread, and equal calls have equal results.
 * Not thread-safe.
 */
public final class Engine {

  private final EngineConfig config;
  private final BlockPool pool;
  private final Scheduler scheduler;
  private final StepTime stepTime;
  private final Map<Long, Sequence> sequences = new HashMap<>();
  private long arrivals;

  /** Creates an idle engine. */
  public Engine(EngineConfig config) {
    this(config, BlockListener.NONE);
  }

  /** Creates an idle engine whose prefix cache reports its changes. */
  Engine(EngineConfig config, BlockListener listener) {
    this.config = config;
    this.pool = new BlockPool(config.kvBlocks(), config.blockTokens(), listener);
    this.scheduler = new Scheduler(config.scheduling(), config.prefixCaching(), pool);
    this.stepTime = new StepTime(config.timing());
  }

  /**
   * Adds a sequence to the waiting ones.
   *
   * @throws IllegalArgumentException if its prompt leaves no room for output in the context, or if
   *     its id is in use
   */
  public void submit(SequenceRequest request) {
    if (request.prompt().size() >= config.maxModelLen()) {
      throw new IllegalArgumentException(
          "The prompt of %d tokens leaves no room for output in a context of %d tokens."
              .formatted(request.prompt().size(), config.maxModelLen()));
    }
    Sequence sequence = new Sequence(request, config.blockTokens(), arrivals++);
    if (sequences.putIfAbsent(request.id(), sequence) != null) {
      throw new IllegalArgumentException(
          "The id " + request.id() + " is in use by another sequence.");
    }
    scheduler.add(sequence);
  }

  /**
   * Removes a sequence, waiting or running, and frees its blocks. Returns false if it does not
   * exist.
   */
  public boolean abort(long id) {
    Sequence sequence = sequences.remove(id);
    if (sequence == null) {
      return false;
    }
    scheduler.remove(sequence);
    return true;
  }

  /**
   * Returns how many of a prompt's leading blocks are cached.
   *
   * @param hashes of its blocks, as {@link BlockHashes#of} returns them
   */
  public int cachedBlocks(long[] hashes) {
    int found = 0;
    while (found < hashes.length && pool.find(hashes[found]) != 0) {
      found++;
    }
    return found;
  }

  /**
   * Returns how many tokens of a sequence are still to be computed before its next one; empty if it
   * does not exist.
   */
  public OptionalInt uncomputedTokens(long id) {
    Sequence sequence = sequences.get(id);
    return sequence == null ? OptionalInt.empty() : OptionalInt.of(sequence.uncomputedTokens());
  }

  /** Returns whether any sequence is running or waiting. */
  public boolean hasWork() {
    return !sequences.isEmpty();
  }

  /** Runs one step that starts now and returns its tokens as objects. */
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
   * Runs one step that starts now. It takes no time and produces nothing if there is nothing to
   * compute: without work, or when leaked blocks leave no room for the first waiting sequence.
   *
   * @param listener receives the tokens; it may submit, but must not abort or step
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
   * Empties the prefix cache. Returns false and has no effect while any block is in use.
   *
   * @param preemptRunning whether to preempt all running sequences, so that no block is in use
   */
  public boolean resetPrefixCache(boolean preemptRunning) {
    if (preemptRunning) {
      scheduler.preemptAll();
    }
    return pool.reset();
  }

  /** Multiplies the time of all following steps by a factor; 1 is normal. */
  public void slowBy(double factor) {
    if (!(factor > 0)) {
      throw new IllegalArgumentException(
          "The slowdown factor must be greater than 0, got " + factor + ".");
    }
    stepTime.slowBy(factor);
  }

  /**
   * Takes free blocks out of use permanently, as a memory leak does. They count as used from now
   * on, and cached content in them is lost. When too few blocks are left, sequences wait forever.
   *
   * @return the number of blocks that were taken
   */
  public int leakBlocks(int blocks) {
    return pool.leak(blocks);
  }

  /** Returns the current state and totals. */
  public EngineStats stats() {
    return scheduler.stats();
  }

  /** Returns the LoRA adapters that are in use now. */
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
