package io.sluice.simulator.engine;

import io.sluice.simulator.engine.timing.StepWork;
import java.util.Arrays;
import java.util.Optional;

/** A sequence in the engine: its known and computed tokens and its blocks. */
final class Sequence implements LiveSequence {

  private final SequenceRequest request;
  private final long arrival;
  private final int[] endTokens;
  private final int blockTokens;
  private final BlockHashes hashes;

  private int[] output = new int[16];
  private int outputTokens;
  private int computedTokens;
  private int[] blocks;
  private int blockCount;

  /** The number of leading blocks that were offered to the cache. */
  private int offeredBlocks;

  private int scheduledTokens;
  private int preemptions;
  private int cachedTokens;
  private boolean scheduled;
  private long scheduledNanos;
  private Optional<FinishReason> finish = Optional.empty();

  Sequence(SequenceRequest request, int blockTokens, long arrival) {
    this.request = request;
    this.arrival = arrival;
    this.blockTokens = blockTokens;
    this.endTokens = request.endTokens().stream().mapToInt(Integer::intValue).toArray();
    int promptTokens = request.prompt().size();
    this.hashes = new BlockHashes(request.cacheScope(), blockTokens, promptTokens);
    for (int i = 0; i < promptTokens; i++) {
      hashes.add(request.prompt().get(i));
    }
    this.blocks = new int[Math.ceilDiv(promptTokens, blockTokens) + 4];
  }

  @Override
  public SequenceRequest request() {
    return request;
  }

  @Override
  public int outputTokens() {
    return outputTokens;
  }

  @Override
  public long scheduledNanos() {
    return scheduledNanos;
  }

  @Override
  public int preemptions() {
    return preemptions;
  }

  @Override
  public int cachedTokens() {
    return cachedTokens;
  }

  @Override
  public Optional<FinishReason> finish() {
    return finish;
  }

  boolean hasFinished() {
    return finish.isPresent();
  }

  int priority() {
    return request.priority();
  }

  long arrival() {
    return arrival;
  }

  String loraName() {
    return request.cacheScope().loraName();
  }

  int knownTokens() {
    return request.prompt().size() + outputTokens;
  }

  int uncomputedTokens() {
    return knownTokens() - computedTokens;
  }

  /**
   * Returns whether it decodes: a decode step computes the one token that the previous step
   * produced.
   */
  boolean decodes() {
    return outputTokens > 0 && uncomputedTokens() == 1;
  }

  int scheduledTokens() {
    return scheduledTokens;
  }

  /** Returns the number of KV-cache tokens that the scheduled tokens read. */
  double scheduledReads() {
    return StepWork.reads(scheduledTokens, computedTokens);
  }

  /**
   * Returns how many of its leading blocks are cached. The last known token is never among them.
   */
  int cachedBlocks(BlockPool pool) {
    int limit = (knownTokens() - 1) / blockTokens;
    int found = 0;
    while (found < limit && pool.find(hashes.get(found)) != 0) {
      found++;
    }
    return found;
  }

  /**
   * Returns how many free blocks are needed to hold all known tokens, given the number of cached
   * ones.
   */
  int freeBlocksNeeded(BlockPool pool, int hits) {
    int needed = Math.ceilDiv(knownTokens(), blockTokens) - hits;
    for (int i = 0; i < hits; i++) {
      if (pool.isFree(pool.find(hashes.get(i)))) {
        needed++;
      }
    }
    return needed;
  }

  /** Starts or restarts the sequence with a number of leading blocks from the cache. */
  void admit(BlockPool pool, int hits, long nowNanos) {
    for (int i = 0; i < hits; i++) {
      int block = pool.find(hashes.get(i));
      pool.share(block);
      hold(block);
    }
    offeredBlocks = hits;
    computedTokens = hits * blockTokens;
    if (!scheduled) {
      scheduled = true;
      scheduledNanos = nowNanos;
      cachedTokens = computedTokens;
    }
  }

  int missingBlocks(int tokens) {
    return Math.ceilDiv(computedTokens + tokens, blockTokens) - blockCount;
  }

  /** Schedules a number of tokens. The pool must have the blocks that they need. */
  void schedule(BlockPool pool, int tokens) {
    for (int missing = missingBlocks(tokens); missing > 0; missing--) {
      hold(pool.take());
    }
    scheduledTokens = tokens;
  }

  /** Makes the blocks that the scheduled tokens fill findable. */
  void cacheFullBlocks(BlockPool pool) {
    int full = (computedTokens + scheduledTokens) / blockTokens;
    if (full <= offeredBlocks) {
      return;
    }
    for (int i = offeredBlocks; i < full; i++) {
      pool.cache(blocks[i], hashes.get(i));
    }
    offeredBlocks = full;
  }

  /**
   * Releases all blocks, the last one first, so that the beginning of the text stays cached
   * longest.
   */
  void release(BlockPool pool) {
    while (blockCount > 0) {
      pool.release(blocks[--blockCount]);
    }
    offeredBlocks = 0;
  }

  void preempt(BlockPool pool) {
    release(pool);
    computedTokens = 0;
    scheduledTokens = 0;
    preemptions++;
  }

  /** Ends the step for this sequence: the scheduled tokens are computed. */
  void compute() {
    computedTokens += scheduledTokens;
    scheduledTokens = 0;
  }

  int sample(int maxModelLen) {
    int token = request.source().next();
    if (outputTokens == output.length) {
      output = Arrays.copyOf(output, outputTokens * 2);
    }
    output[outputTokens++] = token;
    hashes.add(token);
    if (outputTokens >= request.minTokens() && isEnd(token)) {
      finish = Optional.of(FinishReason.STOP);
    } else if (outputTokens >= request.maxTokens() || knownTokens() >= maxModelLen) {
      finish = Optional.of(FinishReason.LENGTH);
    } else if (outputTokens >= request.minTokens()
        && request.repetition().isMet(output, outputTokens)) {
      finish = Optional.of(FinishReason.REPETITION);
    }
    return token;
  }

  private boolean isEnd(int token) {
    for (int end : endTokens) {
      if (end == token) {
        return true;
      }
    }
    return false;
  }

  private void hold(int block) {
    if (blockCount == blocks.length) {
      blocks = Arrays.copyOf(blocks, blockCount * 2);
    }
    blocks[blockCount++] = block;
  }
}
