package io.sluice.simulator.engine;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * A continuous-batching engine in the manner of vLLM's V1 scheduler, driven by its caller's clock.
 *
 * <p>Each {@link #step} spends a token budget: first on the running sequences in order (one token
 * each while decoding, else the rest of the prompt in chunks), then on waiting ones, head first, as
 * long as the whole prompt of the head fits in free KV blocks. When a running sequence finds no
 * block, the most recently admitted one is preempted: it loses its blocks, goes to the front of the
 * waiting ones and is computed again later. A step that preempts admits nobody.
 *
 * <p>Nothing in here waits, reads a clock or starts a thread, and equal calls give equal results.
 * Not thread-safe.
 */
public final class Engine {

  private final EngineConfig config;
  private final BlockPool pool;
  private final StepTime stepTime;
  private final List<Sequence> running = new ArrayList<>();
  private final Deque<Sequence> waiting = new ArrayDeque<>();

  private long preemptions;
  private long prefixQueriedTokens;

  /** Creates an idle engine. */
  public Engine(EngineConfig config) {
    this.config = config;
    this.pool = new BlockPool(config.kvBlocks());
    this.stepTime =
        new StepTime(config.profile(), config.speed(), config.noiseSigma(), config.seed());
  }

  /**
   * Adds a sequence at the end of the waiting ones.
   *
   * @throws IllegalArgumentException if its prompt leaves no room for output in the context
   */
  public void submit(SequenceRequest request) {
    if (request.prompt().size() >= config.maxModelLen()) {
      throw new IllegalArgumentException(
          "The prompt of %d tokens leaves no room for output in a context of %d tokens."
              .formatted(request.prompt().size(), config.maxModelLen()));
    }
    waiting.add(new Sequence(request));
  }

  /** Forgets a sequence, waiting or running, and frees its blocks; false if it is not there. */
  public boolean abort(long id) {
    boolean wasRunning =
        running.removeIf(
            sequence -> {
              if (sequence.id() == id) {
                sequence.release(pool);
                return true;
              }
              return false;
            });
    return wasRunning || waiting.removeIf(sequence -> sequence.id() == id);
  }

  /** Returns whether any sequence is running or waiting. */
  public boolean hasWork() {
    return !running.isEmpty() || !waiting.isEmpty();
  }

  /** Runs one step that starts now; without work it takes no time and yields nothing. */
  public StepResult step(long nowNanos) {
    Map<Sequence, Integer> batch = new LinkedHashMap<>();
    int budget = config.maxNumBatchedTokens();
    long preemptionsBefore = preemptions;
    budget = scheduleRunning(batch, budget);
    if (preemptions == preemptionsBefore) {
      admitWaiting(batch, budget, nowNanos);
    }
    return batch.isEmpty() ? new StepResult(0, List.of(), 0, 0) : run(batch);
  }

  /** Returns the state and totals as of now. */
  public EngineStats stats() {
    return new EngineStats(
        running.size(), waiting.size(), pool.usage(), preemptions, prefixQueriedTokens, 0);
  }

  private int scheduleRunning(Map<Sequence, Integer> batch, int tokenBudget) {
    int budget = tokenBudget;
    for (int i = 0; i < running.size() && budget > 0; i++) {
      Sequence sequence = running.get(i);
      int tokens = Math.min(sequence.uncomputedTokens(), budget);
      if (!reserveByPreempting(sequence, tokens)) {
        break;
      }
      batch.put(sequence, tokens);
      budget -= tokens;
    }
    return budget;
  }

  /** Preempts from the tail until there is room; false when the sequence itself had to go. */
  private boolean reserveByPreempting(Sequence sequence, int tokens) {
    while (!sequence.reserve(pool, tokens)) {
      Sequence victim = running.removeLast();
      victim.preempt(pool);
      waiting.addFirst(victim);
      preemptions++;
      if (victim == sequence) {
        return false;
      }
    }
    return true;
  }

  private void admitWaiting(Map<Sequence, Integer> batch, int tokenBudget, long nowNanos) {
    int budget = tokenBudget;
    while (!waiting.isEmpty() && budget > 0 && running.size() < config.maxNumSeqs()) {
      Sequence head = waiting.getFirst();
      if (!pool.canTake(BlockPool.blocksFor(head.knownTokens()))) {
        return;
      }
      int tokens = Math.min(head.uncomputedTokens(), budget);
      head.reserve(pool, tokens);
      head.markScheduled(nowNanos);
      waiting.removeFirst();
      running.add(head);
      prefixQueriedTokens += head.knownTokens();
      batch.put(head, tokens);
      budget -= tokens;
    }
  }

  private StepResult run(Map<Sequence, Integer> batch) {
    int prefillTokens = 0;
    int decodeSequences = 0;
    long kvTokens = 0;
    List<TokenOutput> outputs = new ArrayList<>(batch.size());
    List<Sequence> finished = new ArrayList<>();
    for (Map.Entry<Sequence, Integer> entry : batch.entrySet()) {
      Sequence sequence = entry.getKey();
      if (sequence.decodes()) {
        decodeSequences++;
        kvTokens += sequence.knownTokens();
      } else {
        prefillTokens += entry.getValue();
      }
      sequence.compute(entry.getValue());
      if (sequence.uncomputedTokens() == 0) {
        TokenOutput output = sequence.sample(config.maxModelLen());
        outputs.add(output);
        if (output.finish().isPresent()) {
          sequence.release(pool);
          finished.add(sequence);
        }
      }
    }
    running.removeAll(finished);
    long nanos = stepTime.nanos(prefillTokens, decodeSequences, kvTokens);
    return new StepResult(nanos, List.copyOf(outputs), prefillTokens, decodeSequences);
  }
}
