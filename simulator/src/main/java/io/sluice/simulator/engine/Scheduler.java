package io.sluice.simulator.engine;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * Decides which tokens a step computes, by the rules of vLLM's V1 scheduler.
 *
 * <p>Running sequences come first, in order. Each gets as many of its uncomputed tokens as the
 * budget allows. If a running sequence finds no free block, victims are preempted until there is
 * one: under {@link SchedulingPolicy#FCFS} the most recently admitted sequence, under {@link
 * SchedulingPolicy#PRIORITY} the last one by priority and arrival. A victim loses its blocks and
 * moves to the front of the waiting sequences. In a step without preemption, waiting sequences are
 * admitted in order, as long as <em>all</em> known tokens of the first one fit in free blocks. If
 * the first one does not fit, it blocks those behind it. A sequence is skipped only if its LoRA
 * adapter exceeds the limit.
 *
 * <p>With async scheduling, a step is decided when the previous one starts. A sequence that arrives
 * during a step is therefore admitted one step later.
 *
 * <p>INVARIANT: a running sequence holds the blocks of its computed tokens, a waiting one holds
 * none. Not thread-safe.
 */
final class Scheduler {

  private final Scheduling rules;
  private final boolean prefixCaching;
  private final BlockPool pool;
  private final List<Sequence> running = new ArrayList<>();
  private final WaitingQueue waiting;

  /** The sequences of this step, in the order in which they were scheduled. */
  private final List<Sequence> batch = new ArrayList<>();

  private int budget;
  private int deferred;
  private long preemptions;
  private long prefixQueriedTokens;
  private long prefixHitTokens;
  private long readmittedQueriedTokens;
  private long readmittedHitTokens;

  Scheduler(Scheduling rules, boolean prefixCaching, BlockPool pool) {
    this.rules = rules;
    this.prefixCaching = prefixCaching;
    this.pool = pool;
    this.waiting = WaitingQueue.of(rules.policy());
  }

  void add(Sequence sequence) {
    waiting.add(sequence);
  }

  /** Removes a sequence, waiting or running. */
  void remove(Sequence sequence) {
    if (running.remove(sequence)) {
      sequence.release(pool);
    } else {
      waiting.remove(sequence);
    }
  }

  /** Removes the running sequences that have finished and frees their blocks. */
  void removeFinished() {
    running.removeIf(
        sequence -> {
          if (!sequence.hasFinished()) {
            return false;
          }
          sequence.release(pool);
          return true;
        });
  }

  /**
   * Returns the sequences of the next step with their scheduled tokens. The list is valid until the
   * next call.
   */
  List<Sequence> schedule(long nowNanos) {
    batch.clear();
    budget = rules.maxNumBatchedTokens();
    long preemptionsBefore = preemptions;
    boolean decidedAhead = rules.async() && !running.isEmpty();
    if (!decidedAhead) {
      waiting.letIn();
    }
    scheduleRunning();
    if (preemptions == preemptionsBefore && waiting.hasHead()) {
      admitWaiting(nowNanos);
    }
    waiting.letIn();
    return batch;
  }

  /**
   * Preempts all running sequences, the newest first, so that they wait in the order in which they
   * ran.
   */
  void preemptAll() {
    while (!running.isEmpty()) {
      preempt(running.removeLast());
    }
  }

  List<Sequence> running() {
    return running;
  }

  WaitingQueue waiting() {
    return waiting;
  }

  long preemptions() {
    return preemptions;
  }

  EngineStats stats() {
    return new EngineStats(
        running.size(),
        waiting.size(),
        Math.min(deferred, waiting.size()),
        pool.usage(),
        preemptions,
        prefixQueriedTokens,
        prefixHitTokens,
        readmittedQueriedTokens,
        readmittedHitTokens);
  }

  private void scheduleRunning() {
    for (int i = 0; i < running.size() && budget > 0; i++) {
      Sequence sequence = running.get(i);
      int tokens = share(sequence);
      int missing = sequence.missingBlocks(tokens);
      while (missing > pool.freeBlocks()) {
        int at = victim();
        Sequence victim = running.remove(at);
        takeBack(victim);
        preempt(victim);
        if (victim == sequence) {
          return;
        }
        if (at < i) {
          i--;
        }
      }
      put(sequence, Math.min(tokens, budget));
    }
  }

  /**
   * Removes a victim from this step if it was already scheduled, and returns its tokens to the
   * budget.
   */
  private void takeBack(Sequence victim) {
    if (victim.scheduledTokens() > 0) {
      budget += victim.scheduledTokens();
      batch.remove(victim);
    }
  }

  private void preempt(Sequence victim) {
    victim.preempt(pool);
    waiting.putBack(victim);
    preemptions++;
  }

  private int victim() {
    int last = running.size() - 1;
    if (rules.policy() == SchedulingPolicy.FCFS) {
      return last;
    }
    int worst = last;
    for (int i = 0; i < last; i++) {
      if (WaitingQueue.BY_PRIORITY.compare(running.get(i), running.get(worst)) > 0) {
        worst = i;
      }
    }
    return worst;
  }

  private void admitWaiting(long nowNanos) {
    Set<String> adapters = adaptersOfBatch();
    List<Sequence> skipped = new ArrayList<>();
    while (waiting.hasHead() && budget > 0 && running.size() < rules.maxNumSeqs()) {
      Sequence head = waiting.head();
      if (!adapterFits(head, adapters)) {
        waiting.removeHead();
        skipped.add(head);
      } else if (admit(head, nowNanos)) {
        if (!head.loraName().isEmpty()) {
          adapters.add(head.loraName());
        }
      } else {
        break;
      }
    }
    deferred = skipped.size();
    skipped.reversed().forEach(waiting::putBack);
  }

  private boolean admit(Sequence head, long nowNanos) {
    boolean reads = prefixCaching && head.request().cacheScope().reads();
    int hits = reads ? head.cachedBlocks(pool) : 0;
    if (head.freeBlocksNeeded(pool, hits) > pool.freeBlocks()) {
      return false;
    }
    if (reads) {
      countLookup(head, (long) hits * pool.blockTokens());
    }
    waiting.removeHead();
    running.add(head);
    head.admit(pool, hits, nowNanos);
    put(head, share(head));
    return true;
  }

  /** What a preempted sequence finds of its own blocks says nothing of how well prompts share. */
  private void countLookup(Sequence head, long hitTokens) {
    if (head.preemptions() > 0) {
      readmittedQueriedTokens += head.knownTokens();
      readmittedHitTokens += hitTokens;
    } else {
      prefixQueriedTokens += head.knownTokens();
      prefixHitTokens += hitTokens;
    }
  }

  private void put(Sequence sequence, int tokens) {
    sequence.schedule(pool, tokens);
    if (prefixCaching) {
      sequence.cacheFullBlocks(pool);
    }
    batch.add(sequence);
    budget -= tokens;
  }

  /** Returns the sequence's share of the budget. */
  private int share(Sequence sequence) {
    int tokens = Math.min(sequence.uncomputedTokens(), budget);
    int threshold = rules.longPrefillTokenThreshold();
    return threshold > 0 ? Math.min(tokens, threshold) : tokens;
  }

  private Set<String> adaptersOfBatch() {
    Set<String> adapters = new HashSet<>();
    if (rules.maxLoras() > 0) {
      batch.forEach(sequence -> adapters.add(sequence.loraName()));
      adapters.remove("");
    }
    return adapters;
  }

  private boolean adapterFits(Sequence sequence, Set<String> adapters) {
    return rules.maxLoras() == 0
        || sequence.loraName().isEmpty()
        || adapters.contains(sequence.loraName())
        || adapters.size() < rules.maxLoras();
  }
}
